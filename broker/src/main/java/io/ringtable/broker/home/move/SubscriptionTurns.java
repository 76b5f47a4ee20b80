package io.ringtable.broker.home.move;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Lets changes of a topic's subscriptions go on side by side, and a step of its move go on alone. So the next home gets
 * each subscription as it is, and none is made or deleted meanwhile.
 * <p>
 * A change of two topics begins once neither takes a step. While it waits it holds up nobody.
 * <p>
 * Thread: any. No caller waits: what has to wait begins on the thread that ends what it waits for.
 */
public final class SubscriptionTurns {
    private final Map<String, Integer> changing = new HashMap<>(); // changes under way, by topic; under the lock
    private final Set<String> stepping = new HashSet<>(); // topics whose step is under way, or waits; under the lock
    private final List<Waiting> waiting = new ArrayList<>(); // in the order in which they came; under the lock

    private record Waiting(Collection<String> topics, boolean isAlone, Runnable begin) {}

    /** Makes a change of subscriptions of those topics. @param change fails the stage if it throws */
    public <T> CompletionStage<T> change(Collection<String> topics, Supplier<CompletionStage<T>> change) {
        return begin(Set.copyOf(topics), false, change);
    }

    /** Takes a step of the topic's move. The caller sees to it that steps of one topic follow each other. */
    public <T> CompletionStage<T> alone(String topic, Supplier<CompletionStage<T>> step) {
        return begin(Set.of(topic), true, step);
    }

    private <T> CompletionStage<T> begin(
            Collection<String> topics, boolean isAlone, Supplier<CompletionStage<T>> action) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Waiting asked = new Waiting(topics, isAlone, () -> run(topics, isAlone, action, answer));
        if (begins(asked)) {
            asked.begin.run();
        }
        return answer;
    }

    /** Notes that something begins now. If it may not, it waits. */
    private synchronized boolean begins(Waiting asked) {
        boolean mayBegin = mayBegin(asked);
        if (asked.isAlone) {
            stepping.addAll(asked.topics); // later changes wait, so that the step has its turn
        }
        if (mayBegin) {
            noteChange(asked);
        } else {
            waiting.add(asked);
        }
        return mayBegin;
    }

    private boolean mayBegin(Waiting asked) {
        return asked.topics.stream()
                .allMatch(topic -> asked.isAlone ? !changing.containsKey(topic) : !stepping.contains(topic));
    }

    private void noteChange(Waiting asked) {
        if (!asked.isAlone) {
            asked.topics.forEach(topic -> changing.merge(topic, 1, Integer::sum));
        }
    }

    private <T> void run(
            Collection<String> topics,
            boolean isAlone,
            Supplier<CompletionStage<T>> action,
            CompletableFuture<T> answer) {
        CompletableFuture.completedFuture(null)
                .thenCompose(turn -> action.get())
                .whenComplete((result, failure) -> {
                    ended(topics, isAlone).forEach(Runnable::run);
                    if (failure == null) {
                        answer.complete(result);
                    } else {
                        answer.completeExceptionally(
                                failure instanceof CompletionException ? failure.getCause() : failure);
                    }
                });
    }

    private synchronized List<Runnable> ended(Collection<String> topics, boolean wasAlone) {
        if (wasAlone) {
            stepping.removeAll(topics);
        } else {
            topics.forEach(topic -> changing.computeIfPresent(topic, (same, n) -> n == 1 ? null : n - 1));
        }
        List<Runnable> next = new ArrayList<>();
        for (Iterator<Waiting> all = waiting.iterator(); all.hasNext(); ) {
            Waiting each = all.next();
            if (mayBegin(each)) {
                all.remove();
                noteChange(each);
                next.add(each.begin);
            }
        }
        return next;
    }
}
