package io.ringtable.client.internal.publish;

import io.ringtable.client.RingtableException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Joins many messages in one future: done when all are answered, failed with the first cause. Any thread. */
final class PublishGroup extends CompletableFuture<Void> {

    private final AtomicInteger unanswered;
    private final AtomicReference<RingtableException> firstCause = new AtomicReference<>();

    PublishGroup(int messages) {
        unanswered = new AtomicInteger(messages);
        if (messages == 0) {
            complete(null);
        }
    }

    /** @param cause null if the message was accepted */
    void answered(RingtableException cause) {
        answered(1, cause);
    }

    void answered(int messages, RingtableException cause) {
        if (cause != null) {
            firstCause.compareAndSet(null, cause);
        }
        if (unanswered.addAndGet(-messages) > 0) {
            return;
        }
        RingtableException failure = firstCause.get();
        if (failure == null) {
            complete(null);
        } else {
            completeExceptionally(failure);
        }
    }
}
