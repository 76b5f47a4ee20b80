package io.ringtable.broker.catalog;

/**
 * A stored subscription and how much it owes.
 * <p>
 * Thread: committer writes, any reads.
 */
public final class SubscriptionEntry {
    private final Replay replay; // null unless it began at a time in the past
    private volatile Subscription subscription; // written by committer, read by any
    private volatile long owedInRing; // written by committer, read by status and metrics
    private volatile long owedInBacklog; // written by committer, read by status and metrics
    private int attending; // links that read it, if it is a topic's

    public SubscriptionEntry(Subscription subscription, Replay replay) {
        this.subscription = subscription;
        this.replay = replay;
    }

    public Subscription subscription() {
        return subscription;
    }

    /** It owes nothing below that sequence any more. */
    void owesFrom(long sequence) {
        subscription = subscription.from(sequence);
    }

    /** How far it has got with what was published before it began; null if that is not for it. */
    public Replay replay() {
        return replay;
    }

    /** Whether it gets what was published before it began, and is owed nothing that is published meanwhile. */
    boolean isReplaying() {
        return replay != null && !replay.isOver();
    }

    /** Messages owed to it in the ring. */
    public long owedInRing() {
        return owedInRing;
    }

    /** Messages owed to it in the backlog. */
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

    /** Before the committer begins. */
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
