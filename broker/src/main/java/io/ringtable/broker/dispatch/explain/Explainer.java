package io.ringtable.broker.dispatch.explain;

import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.owed.Ready;
import io.ringtable.broker.dispatch.redelivery.MoveBackOff;
import io.ringtable.broker.dispatch.subscription.ParkedSubscriptions;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;
import io.ringtable.broker.dispatch.subscription.Subscriptions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Answers why a subscription is given nothing now, and why a message is not. Each question is one command of the
 * dispatcher, bounded by a slice, in the order of everything else that it is told.
 * <p>
 * Thread: any; stages complete on the dispatcher's thread, with null if the subscription is gone.
 */
public final class Explainer {
    /** The most messages that one command of the dispatcher is asked about. */
    private static final int PORTION = 64;

    private final Subscriptions subscriptions;
    private final SubscriptionDiagnosis ofSubscription;
    private final MessageDiagnosis ofMessage;
    private final Executor dispatcher;

    /**
     * @param catalog knows how much subscriptions owe
     * @param slice bounds one answer
     * @param clockMs ms since the epoch
     * @param dispatcher runs on the dispatcher's thread, in order
     */
    public Explainer(
            Subscriptions subscriptions,
            ParkedSubscriptions parked,
            MoveBackOff moveBackOff,
            CatalogLookup catalog,
            Slice slice,
            LongSupplier clockMs,
            Executor dispatcher) {
        this.subscriptions = subscriptions;
        Obstacles obstacles = new Obstacles(moveBackOff, slice, clockMs);
        this.ofSubscription = new SubscriptionDiagnosis(parked, catalog, obstacles);
        this.ofMessage = new MessageDiagnosis(parked, obstacles, clockMs);
        this.dispatcher = dispatcher;
    }

    /** Says why the subscription is given nothing now; {@link Reason#DELIVERING} if nothing holds it up. */
    public CompletionStage<Why> why(Subscription subscription) {
        return subscription.isRetention()
                ? CompletableFuture.completedFuture(retained(subscription))
                : ask(subscription, ofSubscription::of);
    }

    /** Says how a subscription stands to a message that it owes. @param message as its row in the store has it */
    public CompletionStage<Owing> why(Subscription subscription, Ready message) {
        return subscription.isRetention()
                ? CompletableFuture.completedFuture(new Owing(subscription, retained(subscription), 0, false, ""))
                : ask(subscription, state -> ofMessage.of(state, message));
    }

    /** Answers for what a topic retains. The dispatcher does not know of it, since nobody reads it. */
    private static Why retained(Subscription subscription) {
        return Why.of(Reason.RETAINED, subscription.address() + " keeps its messages for later subscriptions");
    }

    /**
     * Returns how often the delivery of each message failed; messages of which that is unknown are left out. A long
     * list is asked for in portions, between which others have their turn.
     */
    public CompletionStage<Map<Long, Integer>> failures(Subscription subscription, List<Long> sequences) {
        CompletionStage<Map<Long, Integer>> all = CompletableFuture.completedFuture(new HashMap<>());
        for (int from = 0; from < sequences.size(); from += PORTION) {
            List<Long> portion = sequences.subList(from, Math.min(sequences.size(), from + PORTION));
            all = all.thenCombine(ask(subscription, state -> ofMessage.failures(state, portion)), (known, more) -> {
                if (more != null) {
                    known.putAll(more);
                }
                return known;
            });
        }
        return all;
    }

    private <T> CompletionStage<T> ask(Subscription subscription, Function<SubscriptionState, T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        dispatcher.execute(() -> {
            SubscriptionState state = subscriptions.find(subscription);
            try {
                answer.complete(state == null ? null : question.apply(state));
            } catch (RuntimeException failure) { // of the question: the dispatcher goes on
                answer.completeExceptionally(failure);
            }
        });
        return answer;
    }
}
