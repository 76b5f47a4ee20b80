package io.ringtable.broker.dispatch;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.fanout.FanOut;
import io.ringtable.broker.dispatch.readback.SubscriptionReadBack;
import io.ringtable.broker.dispatch.subscription.DispatchBounds;
import io.ringtable.broker.dispatch.subscription.ServiceQueue;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;
import io.ringtable.broker.dispatch.subscription.Subscriptions;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.store.Flush.DispatchBound;
import io.ringtable.broker.work.Committed;
import io.ringtable.broker.work.Settle;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Applies to the subscriptions what the committer has made durable.
 * <p>
 * Thread: dispatcher.
 */
final class DurableChanges {
    private final Subscriptions subscriptions;
    private final BiConsumer<SubscriptionState, Committed> arrived;
    private final FanOut fanOut;
    private final Deliverer deliverer;
    private final SubscriptionReadBack readBack;
    private final DispatchBounds dispatchBounds;
    private final ConsumerCommands consumers;
    private final ServiceQueue serviceQueue;

    DurableChanges(
            Subscriptions subscriptions,
            Arrivals arrivals,
            FanOut fanOut,
            Deliverer deliverer,
            SubscriptionReadBack readBack,
            DispatchBounds dispatchBounds,
            ConsumerCommands consumers,
            ServiceQueue serviceQueue) {
        this.subscriptions = subscriptions;
        this.arrived = arrivals::arrived;
        this.fanOut = fanOut;
        this.deliverer = deliverer;
        this.readBack = readBack;
        this.dispatchBounds = dispatchBounds;
        this.consumers = consumers;
        this.serviceQueue = serviceQueue;
    }

    void committed(List<Committed> messages, List<DispatchBound> raised, long epoch) {
        deliverer.epoch(epoch);
        for (Committed message : messages) {
            subscriptions.forEachOwed(message, arrived);
            if (message.first()) {
                giveToNotStored(message);
            }
        }
        for (DispatchBound bound : raised) {
            SubscriptionState state = subscriptions.stored(bound.subscriptionId());
            if (state != null) {
                dispatchBounds.durable(state, bound);
                serviceQueue.add(state);
            }
        }
    }

    private void giveToNotStored(Committed message) {
        Address address = message.message().address();
        List<SubscriptionState> notStored = subscriptions.notStored(address);
        if (address.isQueue()) {
            // A temporary queue has one subscription. It has the message now, since whoever comes next may browse.
            notStored.forEach(state -> arrived.accept(state, message));
        } else if (!notStored.isEmpty()) {
            fanOut.add(message, notStored);
        }
    }

    void settledElsewhere(Settle settlement) {
        SubscriptionState state = subscriptions.stored(settlement.subscription().id());
        if (state != null && state.settledElsewhere(settlement.sequence())) {
            serviceQueue.add(state);
        }
    }

    void gateRaised(long gate) {
        readBack.gate(gate);
        subscriptions.forEachStored(state -> {
            if (!state.isAttended()) {
                state.owed().gateRaised(gate);
            } else if (!state.owed().isCaughtUp()) {
                serviceQueue.add(state);
            }
        });
    }

    void created(Address address) {
        subscriptions.add(address);
    }

    void deleted(Address address) {
        fanOut.forget(address);
        subscriptions.remove(address).forEach(consumers::endSubscription);
    }

    void subscribed(Subscription subscription) {
        subscriptions.add(subscription).beginDispatchBound();
    }

    void unsubscribed(Subscription subscription) {
        SubscriptionState state = subscriptions.remove(subscription);
        if (state != null) {
            consumers.endSubscription(state);
        }
    }

    void fencePassed(Subscription subscription) {
        SubscriptionState state = subscriptions.stored(subscription.id());
        if (state != null) {
            state.reads().fencePassed();
            serviceQueue.add(state);
        }
    }
}
