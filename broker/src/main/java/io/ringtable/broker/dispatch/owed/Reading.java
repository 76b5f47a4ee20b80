package io.ringtable.broker.dispatch.owed;

/** Names what is read next from the store for a subscription. */
public sealed interface Reading {
    /** Bounds the messages per read: enough that a read costs little per message, few enough to bound memory. */
    int MESSAGES_MAX = 512;

    /** @param sequences of rows in the ring, in order */
    record RingRows(long[] sequences) implements Reading {}

    /** @param sequences of rows in the backlog, in order */
    record BacklogRows(long[] sequences) implements Reading {}

    /** Names all that is owed of the backlog in {@code (after, end)}. */
    record BacklogStretch(long after, long end) implements Reading, ReadyPart {}
}
