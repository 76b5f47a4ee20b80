package io.ringtable.broker.catalog;

import io.ringtable.broker.store.ProducerRow;

/**
 * How far the messages that a topic has kept have been copied for a subscription that began at a time in the past.
 * <p>
 * In the tables it is a producer with a reserved name, so that the position moves in the flush that stores the copies, as the number
 * of every producer does: its number is the first sequence that has not been copied, its incarnation says whether it is over. The row
 * stays as long as the subscription does, whose copies share bodies in overflow with what they are copies of.
 * <p>
 * Thread: committer (before it starts: whoever recovers).
 */
public final class Replay {
    private static final String PREFIX = "$replay:";
    private static final long COPYING = 1;
    public static final long OVER = 2;

    private final long producerId;
    private long position;
    private boolean over;
    private long servedAt = -1; // where next stood when copies were made last; -1 = none were

    private Replay(long producerId, long position, boolean over) {
        this.producerId = producerId;
        this.position = position;
        this.over = over;
    }

    /** @param position the first sequence to be copied */
    public static Replay begun(long producerId, long position) {
        return new Replay(producerId, position, false);
    }

    public static Replay recovered(ProducerRow row) {
        return new Replay(row.producerId(), row.lastNumber(), row.incarnation() == OVER);
    }

    /** Its row. @param now ms since the epoch */
    public ProducerRow row(long addressId, long subscriptionId, long now) {
        return new ProducerRow(producerId, addressId, PREFIX + subscriptionId, COPYING, position, now);
    }

    /** Whether the name is none that a publisher may have. */
    public static boolean isReserved(String producer) {
        return producer.startsWith(PREFIX);
    }

    /** Whose copies it makes. @param producer a reserved name */
    public static long subscriptionId(String producer) {
        return Long.parseLong(producer.substring(PREFIX.length()));
    }

    public long producerId() {
        return producerId;
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
