package io.ringtable.broker.catalog;

import io.ringtable.broker.store.ReplayRow;

/**
 * Holds how far the broker has copied a topic's kept messages for a subscription that began at a time in the past.
 * <p>
 * The flush that stores the copies moves the replay's row. The row stays as long as the subscription, since the copies
 * share bodies in overflow with their originals.
 * <p>
 * Thread: committer, and the recovering thread before it starts. Any reads whether it is over.
 */
public final class Replay {
    private long position;
    private volatile boolean over; // written by committer, read by any
    private long servedAt = -1; // the shard's next at the last copies; -1 = none were made

    private Replay(long position, boolean over) {
        this.position = position;
        this.over = over;
    }

    /** @param position the first sequence to copy */
    public static Replay begun(long position) {
        return new Replay(position, false);
    }

    public static Replay recovered(ReplayRow row) {
        return new Replay(row.position(), row.finished());
    }

    /** Returns the sequence below which every kept message has been copied. */
    public long position() {
        return position;
    }

    public void copiedTo(long sequence) {
        position = sequence;
    }

    /** Returns the shard's next at the last copies. @param now the result if none were made */
    public long servedAt(long now) {
        return servedAt < 0 ? now : servedAt;
    }

    public void served(long next) {
        servedAt = next;
    }

    public boolean isOver() {
        return over;
    }

    /** Ends the replay; the subscription owes new messages like every other one. */
    public void end() {
        over = true;
    }
}
