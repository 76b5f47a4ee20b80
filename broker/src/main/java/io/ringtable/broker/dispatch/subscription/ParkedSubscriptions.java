package io.ringtable.broker.dispatch.subscription;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists the subscriptions that wait for an operator.
 * <p>
 * Thread: dispatcher, or recovery before the dispatcher's first turn; any reads {@link #all}.
 */
public final class ParkedSubscriptions {
    private static final Logger LOG = LoggerFactory.getLogger(ParkedSubscriptions.class);

    private final Map<Long, ParkedSubscription> parked =
            new ConcurrentHashMap<>(); // by subscription id; written by dispatcher, read by status

    /** Parks the subscription at that message: it is served no further. */
    public void park(SubscriptionState state, long sequence, String reason) {
        state.reads().park();
        ParkedSubscription now = new ParkedSubscription(state.subscription(), sequence, reason);
        if (!now.equals(parked.put(state.subscription().id(), now))) {
            LOG.error(
                    "RT-2204 {} is parked at message {}: {}. Restore the message or delete the subscription",
                    state.subscription(),
                    sequence,
                    reason);
        }
    }

    /** Lists a subscription that has a damaged message, before any consumer reads it. */
    public void foundDamaged(Subscription subscription, long sequence, String reason) {
        parked.putIfAbsent(subscription.id(), new ParkedSubscription(subscription, sequence, reason));
    }

    /**
     * Lists the subscription if its selector cannot be evaluated: a client can only replace or delete it, not attach to
     * it.
     */
    public void checkSelector(SubscriptionState state) {
        Subscription subscription = state.subscription();
        Selector selector = subscription.selector();
        if (selector != null && selector.defect() != null) {
            parked.put(
                    subscription.id(),
                    new ParkedSubscription(
                            subscription, ParkedSubscription.NO_MESSAGE, "its selector: " + selector.defect()));
            LOG.error(
                    "RT-2349 {} is parked; it keeps what comes and is given nothing: {}. Subscribe anew with a smaller"
                            + " selector, or unsubscribe it",
                    subscription,
                    selector.defect());
        }
    }

    /** Takes the subscription off the list if the message that it was parked at has been read. */
    public void hasRead(SubscriptionState state) {
        ParkedSubscription known = parked.get(state.subscription().id());
        if (known != null && !known.isForItsSelector() && !state.owed().liesInStore(known.sequence())) {
            remove(state);
        }
    }

    public void remove(SubscriptionState state) {
        parked.remove(state.subscription().id());
    }

    /** Returns why the subscription waits for an operator; null if it does not. Thread: any. */
    public ParkedSubscription of(Subscription subscription) {
        return parked.get(subscription.id());
    }

    /** Returns the parked subscriptions. Thread: any. */
    public List<ParkedSubscription> all() {
        return List.copyOf(parked.values());
    }
}
