package io.ringtable.broker.home;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.consumer.Enlisted;
import io.ringtable.broker.work.Completion;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Takes what one consumer says to all parts of the queue or the subscription that it reads ({@link WholeQueue}).
 * Outcomes of a delivery go to the part that the delivery came from.
 * <p>
 * Thread: that of the consumer; those that end transactions.
 */
final class QueueDispatcher implements DispatcherMailbox {
    private final HomeQueues queues;
    private final DispatcherMailbox home; // of the part that the consumer names
    private WholeQueue whole; // null before the consumer attaches, and if it reads nothing

    QueueDispatcher(HomeQueues queues, DispatcherMailbox home) {
        this.queues = queues;
        this.home = home;
    }

    @Override
    public void attach(Consumer consumer, Subscription subscription) {
        whole = queues.attach(consumer, subscription, false);
        if (whole == null) {
            home.attach(consumer, subscription); // which refuses a queue that was deleted meanwhile
        }
    }

    @Override
    public void browse(Consumer consumer, Subscription subscription) {
        whole = queues.attach(consumer, subscription, true);
        if (whole == null) {
            home.browse(consumer, subscription);
        }
    }

    @Override
    public boolean reads(int shard) {
        return whole != null && whole.reads(shard);
    }

    @Override
    public void credit(Consumer consumer, long limit, boolean drain) {
        if (whole == null) {
            home.credit(consumer, limit, drain);
        } else {
            whole.credit(limit, drain);
        }
    }

    @Override
    public void recall(Consumer consumer) {
        if (whole == null) {
            home.recall(consumer);
        } else {
            whole.recall();
        }
    }

    // ---- outcomes; a consumer that reads nothing has no deliveries

    @Override
    public void accepted(Consumer consumer, Delivery delivery, Completion completion) {
        WholeQueue.Part part = whole.part(delivery.subscription());
        part.dispatcher().accepted(part, delivery, completion);
    }

    @Override
    public Enlisted enlist(Consumer consumer, Delivery delivery) {
        WholeQueue.Part part = whole.part(delivery.subscription());
        return part.dispatcher().enlist(part, delivery);
    }

    @Override
    public void committed(Enlisted enlisted) {
        enlisted.dispatcher().committed(enlisted);
    }

    @Override
    public void rolledBack(Enlisted enlisted, boolean failed) {
        enlisted.dispatcher().rolledBack(enlisted, failed);
    }

    @Override
    public void released(Consumer consumer, Delivery delivery) {
        WholeQueue.Part part = whole.part(delivery.subscription());
        part.dispatcher().released(part, delivery);
    }

    @Override
    public void modified(Consumer consumer, Delivery delivery, boolean failed, boolean notHere) {
        WholeQueue.Part part = whole.part(delivery.subscription());
        part.dispatcher().modified(part, delivery, failed, notHere);
    }

    @Override
    public void rejected(Consumer consumer, Delivery delivery, String reason) {
        WholeQueue.Part part = whole.part(delivery.subscription());
        part.dispatcher().rejected(part, delivery, reason);
    }

    @Override
    public CompletionStage<Long> owedForLaterOnly(Subscription subscription) {
        return home.owedForLaterOnly(subscription);
    }

    @Override
    public void detach(Consumer consumer, List<Delivery> unsettled, boolean lost) {
        if (whole == null) {
            home.detach(consumer, unsettled, lost);
        } else {
            queues.detached(whole);
            whole.detach(unsettled, lost);
        }
    }
}
