package io.ringtable.broker.home;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.consumer.Enlisted;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Completion;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Ends consumers that attach to a shard that is away. Consumers of before change nothing any more: recovery gives their
 * deliveries back.
 * <p>
 * Thread: any.
 *
 * @param why gives the reason as it is at each call
 */
record AwayDispatcher(Supplier<Refusal> why) implements DispatcherMailbox {
    @Override
    public void attach(Consumer consumer, Subscription subscription) {
        consumer.ended(why.get());
        consumer.mailbox().wake();
    }

    @Override
    public void browse(Consumer consumer, Subscription subscription) {
        attach(consumer, subscription);
    }

    @Override
    public void credit(Consumer consumer, long limit, boolean drain) {
        // Nothing is delivered.
    }

    @Override
    public void recall(Consumer consumer) {
        consumer.recalled();
        consumer.mailbox().wake();
    }

    @Override
    public void accepted(Consumer consumer, Delivery delivery, Completion completion) {
        if (completion != null) {
            completion.refused(why.get());
            completion.mailbox().wake();
        }
    }

    @Override
    public Enlisted enlist(Consumer consumer, Delivery delivery) {
        return null;
    }

    @Override
    public void committed(Enlisted enlisted) {
        // No transaction of the shard has become durable since it stopped.
    }

    @Override
    public void rolledBack(Enlisted enlisted, boolean failed) {
        // Recovery gives the delivery back.
    }

    @Override
    public void released(Consumer consumer, Delivery delivery) {
        // Recovery gives the delivery back.
    }

    @Override
    public void modified(Consumer consumer, Delivery delivery, boolean failed, boolean notHere) {
        // Recovery gives the delivery back.
    }

    @Override
    public void rejected(Consumer consumer, Delivery delivery, String reason) {
        // Recovery gives the delivery back.
    }

    @Override
    public CompletionStage<Long> owedForLaterOnly(Subscription subscription) {
        return CompletableFuture.completedFuture(-1L); // nobody knows
    }

    @Override
    public void detach(Consumer consumer, List<Delivery> unsettled, boolean lost) {
        // Recovery gives the deliveries back.
    }
}
