package io.ringtable.broker.catalog;

/**
 * What a topic with retention keeps: everything from the first sequence of its built-in subscription on. A few numbers, whatever is
 * kept: messages lie in the ring and in the backlog as those of every subscription.
 * <p>
 * Thread: committer (before it starts: whoever recovers); any reads how much it is.
 */
public final class RetainedMessages {
    private static final long UNKNOWN = -1;

    private final AddressEntry address;
    private final SubscriptionEntry entry;
    private Retention retention = Retention.NONE;
    private long first; // nothing is kept below
    private volatile long oldestAt = UNKNOWN; // when the oldest was published; written by committer, read by status
    private long restsUntil; // ms since the epoch
    private volatile long bytes; // without those in [measuredTo, measureEnd); written by committer, read by status
    private long measuredTo;
    private long measureEnd;
    private long discardFrom; // [discardFrom, discardTo) of the backlog may be owed by nobody any more
    private long discardTo;
    private boolean bodiesMayBeLeft; // some of those have bodies in overflow

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

    /** Of the built-in subscription. */
    public SubscriptionEntry entry() {
        return entry;
    }

    public Subscription subscription() {
        return entry.subscription();
    }

    /** By what policy; {@link Retention#NONE} if it has been taken away. */
    public Retention retention() {
        return retention;
    }

    public void retention(Retention policy) {
        retention = policy;
    }

    // ---- which

    /** Nothing is kept below. */
    public long first() {
        return first;
    }

    /** Nothing was found below. */
    public void beginsAt(long sequence) {
        if (sequence > first) {
            first = sequence;
            oldestAt = UNKNOWN;
        }
    }

    public boolean isOldestKnown() {
        return oldestAt != UNKNOWN;
    }

    /** When it was published, ms since the epoch; negative if that is not known. */
    public long oldestAt() {
        return oldestAt;
    }

    public void oldestAt(long at) {
        oldestAt = at;
    }

    /** It is not looked at again before; ms since the epoch. */
    public long restsUntil() {
        return restsUntil;
    }

    public void restsUntil(long at) {
        restsUntil = at;
    }

    // ---- how many bytes

    /** One more, in the ring. */
    public void claimed(int messageBytes) {
        bytes = bytes + messageBytes;
    }

    /** Everything between its first sequence and the gate may lie in the backlog, which has not been read. */
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

    /** @param messageBytes of all that is kept from where it was measured before up to there */
    public void measured(long to, long messageBytes) {
        measuredTo = Math.min(to, measureEnd);
        bytes = bytes + messageBytes;
    }

    public long messages() {
        return entry.owedInRing() + entry.owedInBacklog();
    }

    /** Bytes of its messages, as far as they are known. */
    public long bytes() {
        return bytes;
    }

    /** Whether the message is part of {@link #bytes}. */
    public boolean isMeasured(long sequence) {
        return sequence < measuredTo || sequence >= measureEnd;
    }

    /** Nothing is kept below the sequence any more. @param messageBytes of those that went and were measured */
    public void settledTo(long sequence, long messageBytes) {
        entry.owesFrom(sequence);
        bytes = bytes - messageBytes;
        measuredTo = Math.max(measuredTo, Math.min(sequence, measureEnd));
        beginsAt(sequence);
    }

    // ---- what is left in the backlog

    /** @param withBodies whether some have bodies in overflow */
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

    /** Whether bodies in overflow may be named by nobody once it is discarded. */
    public boolean bodiesMayBeLeft() {
        return bodiesMayBeLeft;
    }

    public void discarded() {
        discardFrom = discardTo;
        bodiesMayBeLeft = false;
    }
}
