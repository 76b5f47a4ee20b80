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
     * Takes over committed messages before {@link Completion#accepted}: what a consumer asks for after that finds them.
     *
     * @param messages in order of their sequence
     * @param bounds of subscriptions, now durable
     */
    void committed(List<Committed> messages, List<DispatchBound> bounds, long epoch);

    /** Takes settlements that applications made in transactions of their own; consumers may still hold the messages. */
    void settledElsewhere(List<Settle> settlements);

    /** Hears that everything owed below the gate is in the backlog now. */
    void gateRaised(long gate);

    void created(Address address);

    /** Hears that a temporary address is gone, with all messages that waited on it. */
    void deleted(Address address);

    void subscribed(Subscription subscription);

    void unsubscribed(Subscription subscription);

    /** Hears that every settlement handed in before {@link CommitterMailbox#fence} for the subscription is durable. */
    void fencePassed(Subscription subscription);
}
