package io.ringtable.broker.work;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.store.Flush;

/**
 * Takes what is to become durable, and hands it to the committer.
 * <p>
 * Thread: any; nothing here blocks. Every call is queued. Works go by a bounded path; what consumers report about their
 * deliveries goes by one that is never full, as credit bounds it.
 */
public interface CommitterMailbox {

    /**
     * Hands in work with messages or a transaction.
     *
     * @return false if the mailbox is full: stop taking transfers and ask {@link #onRoom}
     */
    boolean trySubmit(Work work);

    /** Calls the listener once when there is room again, on the committer's thread; at once if there is. */
    void onRoom(Runnable listener);

    /** Settles a message. @param completion null if nobody waits for it */
    void settle(Settle settlement, Completion completion);

    /** Counts a failed delivery durably. */
    void failed(Subscription subscription, Flush.Redelivery redelivery);

    /** Moves a subscription's own dispatch bound; {@link CommitListener#committed} says when it is durable. */
    void dispatchBound(Subscription subscription, Flush.DispatchBound bound);

    /** Asks for {@link CommitListener#fencePassed} once every settlement before this is durable. */
    void fence(Subscription subscription);
}
