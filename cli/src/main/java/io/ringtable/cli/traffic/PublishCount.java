package io.ringtable.cli.traffic;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Counts the accepted and the failed messages of one run. Thread: the SDK's I/O thread counts, the command reads. */
public final class PublishCount {
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicReference<Failure> first = new AtomicReference<>();

    /** @param line number of the message's line in the input */
    public record Failure(long line, Throwable cause) {}

    public void answered(long line, Throwable failure) {
        if (failure == null) {
            accepted.incrementAndGet();
        } else {
            failed.incrementAndGet();
            first.accumulateAndGet(
                    new Failure(line, failure), (old, now) -> old == null || now.line() < old.line() ? now : old);
        }
    }

    long accepted() {
        return accepted.get();
    }

    long failed() {
        return failed.get();
    }

    /** Returns the failure with the lowest line number, or null. */
    public Failure firstFailure() {
        return first.get();
    }
}
