package io.ringtable.broker.catalog;

import io.ringtable.broker.message.AddressQuota;

/**
 * Knows what a topic with retention keeps: everything from the first sequence of its built-in subscription on. The
 * object is a few numbers, whatever is kept. Messages lie in the ring and in the backlog like those of every
 * subscription.
 * <p>
 * Thread: committer; before it starts, the housekeeper during recovery. Any reads how much the topic keeps, and may
 * keep.
 */
public final class RetainedMessages {
    /** Divides the bound in bytes between the two homes of a topic that moves. */
    public static final int EIGHTHS = 8;

    private static final long UNKNOWN = -1;

    private final AddressEntry address;
    private final SubscriptionEntry entry;
    private volatile Retention retention = Retention.NONE; // written by committer, read by any
    private volatile int elsewhere; // eighths that the next home of the topic uses; written by committer, read by any
    private long first; // nothing is kept below
    private volatile long oldestAt = UNKNOWN; // when the oldest was published; written by committer, read by status
    private long restsUntil; // ms since the epoch
    private volatile long bytes; // without those in [measuredTo, measureEnd); written by committer, read by status
    private long measuredTo;
    private long measureEnd;
    private long discardFrom; // [discardFrom, discardTo) of the backlog may be owed by nobody any more
    private long discardTo;
    private boolean bodiesMayBeLeft; // whether some of those have bodies in overflow

    public RetainedMessages(AddressEntry address, SubscriptionEntry entry) {
        this.address = address;
        this.entry = entry;
        this.first = entry.subscription().fromSequence();
        this.measuredTo = first;
        this.measureEnd = first;
    }

    public AddressEntry address() {
        return address;
    }

    /** Returns the entry of the built-in subscription. */
    public SubscriptionEntry entry() {
        return entry;
    }

    public Subscription subscription() {
        return entry.subscription();
    }

    /** Returns the policy; {@link Retention#NONE} if it has been taken away. */
    public Retention retention() {
        return retention;
    }

    public void retention(Retention policy) {
        retention = policy;
    }

    /** Returns the most bytes that may be kept here; 0 if that is not bounded, or nothing may be. */
    public long bytesMax() {
        return retention.bytesMax() / EIGHTHS * (EIGHTHS - elsewhere);
    }

    /**
     * Returns how many eighths of what the topic may keep are used here, rounded up; 0 if there is no bound in bytes.
     * The bound is that in bytes, or less if the quota leaves less to retention. So 8 is reached before the bound is.
     */
    public int eighthsUsed() {
        long most = retention.bytesMax();
        if (most == 0) {
            return 0;
        }
        AddressQuota quota = address.address().quota();
        return Math.max(
                eighths(bytes, Math.min(most, room(quota.bytesMax()))), eighths(messages(), room(quota.messagesMax())));
    }

    /** Returns what retention leaves of a quota. */
    private static long room(long quota) {
        return Math.max(1, quota / EIGHTHS * (EIGHTHS - 1));
    }

    /** Rounds up. */
    private static int eighths(long used, long most) {
        return (int) Math.min(EIGHTHS, Math.ceil((double) EIGHTHS * used / most));
    }

    /** Returns how many eighths of the bound in bytes the next home of the topic uses. */
    public int elsewhere() {
        return elsewhere;
    }

    /** Notes that the next home uses more of the bound. @param eighths 0 to 8; fewer than before change nothing */
    public void elsewhere(int eighths) {
        elsewhere = Math.max(elsewhere, eighths);
    }

    // ---- which

    /** Returns the sequence below which nothing is kept. */
    public long first() {
        return first;
    }

    /** Notes that nothing is kept below a sequence. */
    public void beginsAt(long sequence) {
        if (sequence > first) {
            first = sequence;
            oldestAt = UNKNOWN;
        }
    }

    public boolean isOldestKnown() {
        return oldestAt != UNKNOWN;
    }

    /** Returns when the oldest message was published, in ms since the epoch; negative if unknown. */
    public long oldestAt() {
        return oldestAt;
    }

    public void oldestAt(long at) {
        oldestAt = at;
    }

    /** Returns the time of the next look at the topic, in ms since the epoch. */
    public long restsUntil() {
        return restsUntil;
    }

    public void restsUntil(long at) {
        restsUntil = at;
    }

    // ---- how many bytes

    /** Counts one more message, in the ring. */
    public void claimed(int messageBytes) {
        bytes = bytes + messageBytes;
    }

    /**
     * Notes that everything between the first sequence and the gate may lie in the backlog, which has not been read.
     */
    public void recoveredInBacklog(long gate) {
        measureEnd = Math.max(first, gate);
    }

    public boolean isMeasured() {
        return measuredTo >= measureEnd;
    }

    public long measuredTo() {
        return measuredTo;
    }

    public long measureEnd() {
        return measureEnd;
    }

    /**
     * Adds what a further stretch of the backlog holds.
     *
     * @param to end of the stretch
     * @param messageBytes of all that is kept in the stretch
     */
    public void measured(long to, long messageBytes) {
        measuredTo = Math.min(to, measureEnd);
        bytes = bytes + messageBytes;
    }

    public long messages() {
        return entry.owedInRing() + entry.owedInBacklog();
    }

    /** Returns the bytes of the kept messages, as far as they are known. */
    public long bytes() {
        return bytes;
    }

    /** Answers whether the message is part of {@link #bytes}. */
    public boolean isMeasured(long sequence) {
        return sequence < measuredTo || sequence >= measureEnd;
    }

    /**
     * Notes that nothing is kept below the sequence any more.
     *
     * @param messageBytes of the measured messages that went
     */
    public void settledTo(long sequence, long messageBytes) {
        entry.owesFrom(sequence);
        bytes = bytes - messageBytes;
        measuredTo = Math.max(measuredTo, Math.min(sequence, measureEnd));
        beginsAt(sequence);
    }

    // ---- what is left in the backlog

    /**
     * Marks a stretch of the backlog whose rows may be owed by nobody.
     *
     * @param withBodies whether some have bodies in overflow
     */
    public void mayBeOver(long from, long to, boolean withBodies) {
        bodiesMayBeLeft |= withBodies;
        discardFrom = discardFrom < discardTo ? Math.min(discardFrom, from) : from;
        discardTo = Math.max(discardTo, to);
    }

    public boolean needsDiscard() {
        return discardFrom < discardTo;
    }

    public long discardFrom() {
        return discardFrom;
    }

    public long discardTo() {
        return discardTo;
    }

    /** Answers whether bodies in overflow may be left once the stretch is discarded. */
    public boolean bodiesMayBeLeft() {
        return bodiesMayBeLeft;
    }

    public void discarded() {
        discardFrom = discardTo;
        bodiesMayBeLeft = false;
    }
}
