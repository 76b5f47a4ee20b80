package io.ringtable.broker.dispatch.owed;

/**
 * Marks the stretch of the backlog of which nothing is known before it is read, in order, from its beginning: what
 * recovery found there, or what moved there while nobody attended.
 * <p>
 * Thread: dispatcher.
 */
final class UnreadBacklog {
    private long from;
    private long to; // exclusive

    /** Nothing is unread, nor will be below. */
    UnreadBacklog(long from) {
        this.from = from;
        this.to = from;
    }

    boolean isEmpty() {
        return from >= to;
    }

    boolean contains(long sequence) {
        return sequence >= from && sequence < to;
    }

    /** What lies at or above comes after something that is unread; {@link Long#MAX_VALUE} if nothing is. */
    long first() {
        return isEmpty() ? Long.MAX_VALUE : from;
    }

    Reading.BacklogStretch stretch() {
        return new Reading.BacklogStretch(from - 1, to);
    }

    /** This is unread as well, and whatever lies between. */
    void add(long itsFrom, long itsTo) {
        from = isEmpty() ? itsFrom : Math.min(from, itsFrom);
        to = Math.max(to, itsTo);
    }

    /** Up to the gate, from where it was read last. */
    void addUpTo(long gate) {
        to = Math.max(to, gate);
    }

    void isRead(long sequence) {
        from = sequence + 1;
    }

    /** Nothing more is owed there. */
    void isReadThrough() {
        from = to;
    }
}
