package io.ringtable.broker.dispatch.owed;

/**
 * Marks a stretch of the backlog that is unknown until it is read in order. Recovery found it there, or it moved there
 * while no consumer was attached.
 * <p>
 * Thread: dispatcher.
 */
final class UnreadBacklog {
    private long from;
    private long to; // exclusive

    /** Begins with nothing unread; nothing below {@code from} ever will be. */
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

    /**
     * Returns the first unread sequence, which comes before all at or above it; {@link Long#MAX_VALUE} if nothing is
     * unread.
     */
    long first() {
        return isEmpty() ? Long.MAX_VALUE : from;
    }

    Reading.BacklogStretch stretch() {
        return new Reading.BacklogStretch(from - 1, to);
    }

    /** Adds a stretch, and all that lies between it and what is unread already. */
    void add(long itsFrom, long itsTo) {
        from = isEmpty() ? itsFrom : Math.min(from, itsFrom);
        to = Math.max(to, itsTo);
    }

    /** Adds everything up to the gate, from where it was read last. */
    void addUpTo(long gate) {
        to = Math.max(to, gate);
    }

    void isRead(long sequence) {
        from = sequence + 1;
    }

    /** Ends the stretch: nothing more is owed there. */
    void isReadThrough() {
        from = to;
    }
}
