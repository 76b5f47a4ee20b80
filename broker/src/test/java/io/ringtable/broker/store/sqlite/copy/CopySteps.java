package io.ringtable.broker.store.sqlite.copy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts the steps of a copy, and does something in each. */
final class CopySteps implements CopyListener {
    private final Runnable each;
    private final AtomicInteger copies = new AtomicInteger();
    private final AtomicInteger checks = new AtomicInteger();

    CopySteps(Runnable each) {
        this.each = each;
    }

    @Override
    public void copied(long bytes, long total) {
        copies.incrementAndGet();
        assertThat(bytes).isBetween(1L, total);
        each.run();
    }

    int copies() {
        return copies.get();
    }

    int checks() {
        return checks.get();
    }

    @Override
    public void checking() {
        checks.incrementAndGet();
    }
}
