package io.ringtable.broker.dispatch.browse;

import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;
import io.ringtable.broker.dispatch.subscription.Subscriptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Shows administrators the volatile subscriptions and what they owe, of which the store knows nothing. Each question is
 * one command of the dispatcher, in the order of everything else that it is told. A list of subscriptions is bounded by
 * a slice. Of messages the dispatcher copies references alone, no more than may wait in memory for one subscription.
 * <p>
 * Thread: any; stages complete on the dispatcher's thread.
 */
public final class VolatileMessages {
    private final Subscriptions subscriptions;
    private final Slice slice;
    private final Executor dispatcher;

    /**
     * @param slice bounds one list of subscriptions
     * @param dispatcher runs on the dispatcher's thread, in order
     */
    public VolatileMessages(Subscriptions subscriptions, Slice slice, Executor dispatcher) {
        this.subscriptions = subscriptions;
        this.slice = slice;
        this.dispatcher = dispatcher;
    }

    /** Returns what a volatile subscription owes; null if there is none of that id. */
    public CompletionStage<VolatileOwed> owedBy(long subscriptionId) {
        return ask(() -> {
            SubscriptionState state = subscriptions.stored(subscriptionId);
            return state == null || state.subscription().isStored() ? null : VolatileOwed.of(state);
        });
    }

    /**
     * Lists volatile subscriptions, the oldest first. One answer may have fewer than there are, or none, and say where
     * the list goes on.
     *
     * @param wanted called on the dispatcher's thread
     * @param after the id of the last one seen; 0 = from the first on
     * @param max the most in one answer, 1 or more
     */
    public CompletionStage<VolatilePage> list(Predicate<Subscription> wanted, long after, int max) {
        return ask(() -> {
            List<VolatilePage.Item> found = new ArrayList<>();
            long last = after;
            slice.begin();
            for (SubscriptionState state : subscriptions.notStoredAfter(after)) {
                if (found.size() == max || slice.isOver()) {
                    return new VolatilePage(found, last);
                }
                slice.step();
                last = state.subscription().id();
                if (wanted.test(state.subscription())) {
                    found.add(
                            new VolatilePage.Item(state.subscription(), VolatileOwed.count(state), state.isAttended()));
                }
            }
            return new VolatilePage(found, 0);
        });
    }

    private <T> CompletionStage<T> ask(Supplier<T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        dispatcher.execute(() -> {
            try {
                answer.complete(question.get());
            } catch (RuntimeException failure) { // of the question: the dispatcher goes on
                answer.completeExceptionally(failure);
            }
        });
        return answer;
    }
}
