package io.ringtable.broker.commit;

import io.ringtable.broker.catalog.Subscription;

/**
 * A stored subscription and how much it owes.
 * <p>
 * Thread: committer writes, any reads.
 */
public final class SubscriptionEntry {
    private final Subscription subscription;
    private volatile long owedInRing; // written by committer, read by status and metrics
    private volatile long owedInBacklog; // written by committer, read by status and metrics
    private int attending; // links that read it, if it is a topic's

    SubscriptionEntry(Subscription subscription) {
        this.subscription = subscription;
    }

    public Subscription subscription() {
        return subscription;
    }

    /** Messages owed to it in the ring. */
    public long owedInRing() {
        return owedInRing;
    }

    /** Messages owed to it in the backlog. */
    public long owedInBacklog() {
        return owedInBacklog;
    }

    boolean isAttended() {
        return attending > 0;
    }

    void attended() {
        attending++;
    }

    void left() {
        attending--;
    }

    /** Before the committer begins. */
    public void recoveredInRing() {
        owesInRing(1);
    }

    void owesInRing(long more) {
        owedInRing = owedInRing + more;
    }

    void owesInBacklog(long more) {
        owedInBacklog = owedInBacklog + more;
    }
}
