package io.ringtable.broker.catalog;

import io.ringtable.broker.store.ReplayRow;

/**
 * How far the messages that a topic has kept have been copied for a subscription that began at a time in the past.
 * <p>
 * Its row moves in the flush that stores the copies. It stays as long as the subscription does, since the copies share
 * bodies in overflow with the messages that they were made of.
 * <p>
 * Thread: committer (before it starts: whoever recovers).
 */
public final class Replay {
    private long position;
    private boolean over;
    private long servedAt = -1; // where next stood when copies were made last; -1 = none were

    private Replay(long position, boolean over) {
        this.position = position;
        this.over = over;
    }

    /** @param position the first sequence to be copied */
    public static Replay begun(long position) {
        return new Replay(position, false);
    }

    public static Replay recovered(ReplayRow row) {
        return new Replay(row.position(), row.finished());
    }

    /** Everything that is kept below has been copied. */
    public long position() {
        return position;
    }

    public void copiedTo(long sequence) {
        position = sequence;
    }

    /** Where next stood when copies were made last. @param now if none were */
    public long servedAt(long now) {
        return servedAt < 0 ? now : servedAt;
    }

    public void served(long next) {
        servedAt = next;
    }

    public boolean isOver() {
        return over;
    }

    /** The subscription owes what is published from now on like every other one. */
    public void end() {
        over = true;
    }
}
