package io.ringtable.broker.dispatch.redelivery;

import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.consumer.Enlisted;
import io.ringtable.broker.dispatch.subscription.AttachedConsumer;
import io.ringtable.broker.dispatch.subscription.ServiceQueue;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;
import io.ringtable.broker.dispatch.subscription.Subscriptions;
import java.util.concurrent.Executor;

/**
 * Keeps the deliveries that transactions hold: takes them from their consumers, and gives them up or back when the
 * transaction ends.
 * <p>
 * Thread: {@link #enlist} is the consumer's; the rest is done on the dispatcher's.
 */
public final class Enlistments {
    private final Subscriptions subscriptions;
    private final Redeliveries redeliveries;
    private final ServiceQueue serviceQueue;
    private final Executor dispatcher;

    /** @param dispatcher runs on the dispatcher's thread, in order */
    public Enlistments(
            Subscriptions subscriptions, Redeliveries redeliveries, ServiceQueue serviceQueue, Executor dispatcher) {
        this.subscriptions = subscriptions;
        this.redeliveries = redeliveries;
        this.serviceQueue = serviceQueue;
        this.dispatcher = dispatcher;
    }

    /**
     * Takes a delivery from its consumer for a transaction.
     *
     * @param door takes the delivery back when the transaction ends
     * @return null if the consumer has it no more
     */
    public Enlisted enlist(AttachedConsumer attached, Delivery delivery, DispatcherMailbox door) {
        SubscriptionState state = attached.subscription();
        // Before it leaves its consumer: a settlement elsewhere finds it in one of the two.
        state.enlisted().begin();
        if (!attached.take(delivery)) {
            state.enlisted().cancel();
            return null;
        }
        Enlisted enlisted = new Enlisted(door, delivery, attached.forgetSettledElsewhere(delivery));
        boolean roomAgain = attached.settled(delivery);
        dispatcher.execute(() -> {
            state.owed().enlisted(delivery, attached.consumer());
            if (roomAgain) {
                serviceQueue.add(state);
            }
        });
        return enlisted;
    }

    public void committed(Enlisted enlisted) {
        dispatcher.execute(() -> {
            SubscriptionState state = subscriptions.find(enlisted.delivery().subscription());
            if (state != null) {
                state.isOver(enlisted.delivery().sequence());
                state.enlisted().end();
                serviceQueue.add(state);
            }
        });
    }

    public void rolledBack(Enlisted enlisted, boolean failed) {
        dispatcher.execute(() -> {
            Delivery delivery = enlisted.delivery();
            SubscriptionState state = subscriptions.find(delivery.subscription());
            if (state != null) { // else unsubscribed meanwhile: nothing owes it
                rolledBack(state, delivery, enlisted.over(), failed);
            }
        });
    }

    private void rolledBack(SubscriptionState state, Delivery delivery, boolean wasOver, boolean failed) {
        boolean over = wasOver || state.enlisted().wasSettledElsewhere(delivery.sequence());
        state.enlisted().end();
        state.owed().isOver(delivery.sequence());
        if (over) {
            state.owed().hasLeft(delivery.sequence());
        } else if (failed) {
            redeliveries.modified(delivery, true, null);
        } else {
            redeliveries.giveBack(delivery, true);
        }
    }
}
