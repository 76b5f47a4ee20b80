package io.ringtable.broker.recovery;

/** Says what becomes of a row of the ring at recovery. */
enum Verdict {
    /** Delivers the message. */
    OWED,
    /** Clears the slot with its stretch: nobody owes the message. */
    OVER,
    /** Serves the subscriptions that owe the message only up to it, since it cannot be delivered. */
    PARKED,
    /** Refuses the start, since the shard contradicts itself. */
    REFUSED
}
