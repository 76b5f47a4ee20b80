package io.ringtable.broker.dispatch;

import io.ringtable.broker.dispatch.fanout.PublisherHolds;
import io.ringtable.broker.dispatch.owed.Ready;
import io.ringtable.broker.dispatch.subscription.DelayedSubscriptions;
import io.ringtable.broker.dispatch.subscription.ServiceQueue;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.work.Committed;
import java.util.function.LongSupplier;

/**
 * Gives a committed message its place in what a subscription owes.
 * <p>
 * Thread: dispatcher.
 */
final class Arrivals {
    private final DelayedSubscriptions delayedSubscriptions;
    private final PublisherHolds publisherHolds;
    private final ServiceQueue serviceQueue;
    private final LongSupplier clockMs;

    /** @param clockMs ms since the epoch */
    Arrivals(
            DelayedSubscriptions delayedSubscriptions,
            PublisherHolds publisherHolds,
            ServiceQueue serviceQueue,
            LongSupplier clockMs) {
        this.delayedSubscriptions = delayedSubscriptions;
        this.publisherHolds = publisherHolds;
        this.serviceQueue = serviceQueue;
        this.clockMs = clockMs;
    }

    void arrived(SubscriptionState state, Committed message) {
        boolean isStored = state.subscription().isStored();
        Ready ready = ready(message, isStored ? message.sequence() : state.takeOrder());
        if (isLater(message.message())) {
            state.owed().later(ready, message.message().deliverAt());
            delayedSubscriptions.add(state);
        } else {
            state.owed().arrived(ready, state.isAttended() && message.message().isHere());
        }
        if (!isStored) {
            publisherHolds.holdIfFull(state);
        }
        serviceQueue.add(state);
    }

    private boolean isLater(Message message) {
        return message.deliverAt() != 0 && message.deliverAt() > clockMs.getAsLong();
    }

    private static Ready ready(Committed message, long order) {
        return new Ready(message.message(), order, message.group(), message.pending(), 0, false, null);
    }
}
