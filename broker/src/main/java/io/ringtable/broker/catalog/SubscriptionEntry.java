package io.ringtable.broker.catalog;

/**
 * Holds a stored subscription and how much it owes.
 * <p>
 * Thread: committer writes, any reads.
 */
public final class SubscriptionEntry {
    private final Replay replay; // null unless the subscription began at a time in the past
    private volatile Subscription subscription; // written by committer, read by any
    private volatile long owedInRing; // written by committer, read by status and metrics
    private volatile long owedInBacklog; // written by committer, read by status and metrics
    private int attending; // links that read a topic's subscription

    public SubscriptionEntry(Subscription subscription, Replay replay) {
        this.subscription = subscription;
        this.replay = replay;
    }

    public Subscription subscription() {
        return subscription;
    }

    /** Notes that the subscription owes nothing below that sequence any more. */
    void owesFrom(long sequence) {
        subscription = subscription.from(sequence);
    }

    /** Returns how far the replay of the subscription has come; null if it has none. */
    public Replay replay() {
        return replay;
    }

    /**
     * Answers whether the subscription still gets what was published before it began, and is owed no new message
     * meanwhile.
     */
    boolean isReplaying() {
        return replay != null && !replay.isOver();
    }

    /** Returns the number of messages that it owes in the ring. */
    public long owedInRing() {
        return owedInRing;
    }

    /** Returns the number of messages that it owes in the backlog. */
    public long owedInBacklog() {
        return owedInBacklog;
    }

    public boolean isAttended() {
        return attending > 0;
    }

    public void attended() {
        attending++;
    }

    public void left() {
        attending--;
    }

    /** Counts a recovered message, before the committer begins. */
    public void recoveredInRing() {
        owesInRing(1);
    }

    public void owesInRing(long more) {
        owedInRing = owedInRing + more;
    }

    public void owesInBacklog(long more) {
        owedInBacklog = owedInBacklog + more;
    }
}
