package io.ringtable.broker.recovery;

/** What becomes of a row of the ring at recovery. */
enum Verdict {
    /** It is delivered. */
    OWED,
    /** Nobody owes it; its slot is cleared with its stretch. */
    OVER,
    /** It is owed and cannot be delivered: the subscriptions that owe it are served up to it. */
    PARKED,
    /** The shard contradicts itself: it does not start. */
    REFUSED
}
