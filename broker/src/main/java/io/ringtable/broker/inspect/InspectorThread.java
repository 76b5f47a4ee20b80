package io.ringtable.broker.inspect;

import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.StoreFailure;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Runs questions one after the other on the thread {@code inspector} of the shard, which exists while somebody asks.
 * <p>
 * Thread: any. Failure: stages fail with {@link Refusal.Refused}, or with what the question throws.
 */
final class InspectorThread implements AutoCloseable {
    /** The most questions that wait. */
    private static final int WAITING_MAX = 64;

    private static final long ANSWER_SECONDS = 30;
    private static final int IDLE_SECONDS = 30;

    private final ExecutorService thread;
    private volatile boolean closed;

    InspectorThread(String name) {
        thread = new ThreadPoolExecutor(
                0, // none while nobody asks
                1,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(WAITING_MAX),
                task -> new Thread(task, name));
    }

    <T> CompletionStage<T> run(Supplier<T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            thread.execute(() -> {
                try {
                    if (closed) {
                        throw refused();
                    }
                    answer.complete(question.get());
                } catch (StoreFailure failure) {
                    answer.completeExceptionally(new Refusal.Refused(new Refusal(
                            Refusal.Reason.UNAVAILABLE,
                            "RT-7208",
                            "the store does not answer: " + failure.getMessage())));
                } catch (Throwable failure) { // else whoever asks would wait for ever, as when memory is short
                    answer.completeExceptionally(failure);
                }
            });
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(refused());
        }
        return answer;
    }

    private static Refusal.Refused refused() {
        return new Refusal.Refused(new Refusal(
                Refusal.Reason.UNAVAILABLE,
                "RT-7209",
                WAITING_MAX + " questions about messages wait already, or the shard stops: ask again in a moment"));
    }

    /** Bounds how long somebody waits for a shard that has stopped meanwhile, and answers nothing any more. */
    static <T> CompletionStage<T> answered(CompletionStage<T> stage) {
        return stage.toCompletableFuture()
                .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
                .exceptionallyCompose(failure ->
                        CompletableFuture.failedFuture(failure instanceof TimeoutException ? late() : cause(failure)));
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private static Refusal.Refused late() {
        return new Refusal.Refused(new Refusal(
                Refusal.Reason.UNAVAILABLE,
                "RT-7213",
                "the shard has not answered within " + ANSWER_SECONDS
                        + " s: ask again, and look first whether a change has been made"));
    }

    /** Ends the thread; questions that wait are refused. */
    @Override
    public void close() {
        closed = true;
        thread.shutdownNow().forEach(Runnable::run); // each hears that it is too late
    }
}
