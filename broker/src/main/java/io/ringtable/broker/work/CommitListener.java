package io.ringtable.broker.work;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.store.Flush.DispatchBound;
import java.util.List;

/**
 * Hears from the committer what has become durable, in its order.
 * <p>
 * Thread: committer calls; implementations hand over and return.
 */
public interface CommitListener {

    /**
     * Called before anybody hears {@link Completion#accepted}: what a consumer asks for after that finds the messages.
     *
     * @param messages in order of their sequence
     * @param bounds of subscriptions, now durable
     */
    void committed(List<Committed> messages, List<DispatchBound> bounds, long epoch);

    /** Applications have settled these in transactions of their own, whoever has them in hand now. */
    void settledElsewhere(List<Settle> settlements);

    /** Everything owed below is in the backlog now. */
    void gateRaised(long gate);

    void created(Address address);

    /** A temporary address is gone, and all that waited on it. */
    void deleted(Address address);

    void subscribed(Subscription subscription);

    void unsubscribed(Subscription subscription);

    /** Every settlement handed in before {@link CommitterMailbox#fence} was called for this is durable. */
    void fencePassed(Subscription subscription);
}
