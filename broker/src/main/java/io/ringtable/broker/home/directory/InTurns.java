package io.ringtable.broker.home.directory;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/**
 * Lets questions with the same key follow each other: one is asked once the one before it has its answer, good or bad.
 * <p>
 * Thread: any. No caller waits; a question that waits is asked on the thread that answers the one before.
 */
public final class InTurns {
    /** The last question of each key that has no answer yet. */
    private final ConcurrentMap<String, CompletableFuture<?>> last = new ConcurrentHashMap<>();

    /** Asks in turn. @param question fails the stage if it throws */
    public <T> CompletionStage<T> next(String key, Supplier<CompletionStage<T>> question) {
        CompletableFuture<T> mine = new CompletableFuture<>();
        CompletableFuture<?> before = last.put(key, mine);
        CompletionStage<?> turn = before == null ? CompletableFuture.completedFuture(null) : before;
        turn.handle((any, failure) -> null)
                .thenCompose(nothing -> question.get())
                .whenComplete((answer, failure) -> {
                    last.remove(key, mine);
                    if (failure == null) {
                        mine.complete(answer);
                    } else {
                        mine.completeExceptionally(
                                failure instanceof CompletionException ? failure.getCause() : failure);
                    }
                });
        return mine;
    }
}
