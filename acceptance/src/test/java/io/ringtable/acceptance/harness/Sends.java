package io.ringtable.acceptance.harness;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.CompletionListener;
import jakarta.jms.Message;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Hears of the outcomes of sends that do not wait for each other, each still a message by itself.
 * <p>
 * Thread: any.
 */
public final class Sends implements CompletionListener {
    private static final long MOST_SECONDS = 60;

    private final Semaphore outcomes = new Semaphore(0);
    private final AtomicReference<Exception> refusal = new AtomicReference<>(); // the first one

    @Override
    public void onCompletion(Message message) {
        outcomes.release();
    }

    @Override
    public void onException(Message message, Exception exception) {
        refusal.compareAndSet(null, exception);
        outcomes.release();
    }

    /** Returns when that many more have been accepted. */
    public void await(int count) {
        try {
            assertThat(outcomes.tryAcquire(count, MOST_SECONDS, TimeUnit.SECONDS))
                    .as(() -> count + " outcomes within " + MOST_SECONDS + " s, and not " + outcomes.availablePermits())
                    .isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(refusal.get()).as("a refusal").isNull();
    }
}
