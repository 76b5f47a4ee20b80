package io.ringtable.broker.work;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.store.Flush;

/**
 * Takes work that must become durable, and hands it to the committer.
 * <p>
 * Thread: any; nothing here blocks, and every call is queued. Works take a bounded path. Reports of consumers about
 * their deliveries take a path that is never full, as credit bounds them.
 */
public interface CommitterMailbox {

    /**
     * Hands in work with messages or a transaction.
     *
     * @return false if the mailbox is full: the caller stops taking transfers and asks {@link #onRoom}
     */
    boolean trySubmit(Work work);

    /** Calls the listener once when there is room again, on the committer's thread; immediately if there is room. */
    void onRoom(Runnable listener);

    /**
     * Settles a message.
     *
     * @param completion null if nobody waits for it
     */
    void settle(Settle settlement, Completion completion);

    /** Counts a failed delivery durably. */
    void failed(Subscription subscription, Flush.Redelivery redelivery);

    /** Moves a subscription's own dispatch bound; {@link CommitListener#committed} says when it is durable. */
    void dispatchBound(Subscription subscription, Flush.DispatchBound bound);

    /** Asks for {@link CommitListener#fencePassed} once every settlement before this is durable. */
    void fence(Subscription subscription);
}
