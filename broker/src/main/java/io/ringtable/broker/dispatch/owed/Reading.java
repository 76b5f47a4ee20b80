package io.ringtable.broker.dispatch.owed;

/** What a subscription is to have read next from the store. */
public sealed interface Reading {
    /** Messages per read: enough that a read costs little per message, few enough that memory is bounded. */
    int MESSAGES_MAX = 512;

    /** @param sequences of rows in the ring, in order */
    record RingRows(long[] sequences) implements Reading {}

    /** @param sequences of rows in the backlog, in order */
    record BacklogRows(long[] sequences) implements Reading {}

    /** Whatever is owed of the backlog in {@code (after, end)}. */
    record BacklogStretch(long after, long end) implements Reading, ReadyPart {}
}
