package io.ringtable.acceptance.patroni;

import io.ringtable.acceptance.freeze.Account;
import io.ringtable.acceptance.harness.Pace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** Counts the outcomes of some producers in windows of time, on a thread of its own, from its making to its end. */
final class Rates implements AutoCloseable {
    private static final Duration WINDOW = Duration.ofMillis(500);

    private final Account account;
    private final Set<String> producers;
    private final List<Long> windows = new ArrayList<>(); // the thread's until it ends
    private final AtomicBoolean ends = new AtomicBoolean();
    private final Thread thread = new Thread(this::count, "rates");

    Rates(Account account, Set<String> producers) {
        this.account = account;
        this.producers = producers;
        thread.setDaemon(true);
        thread.start();
    }

    private void count() {
        long before = sum();
        long at = System.nanoTime();
        while (!ends.get()) {
            at += WINDOW.toNanos();
            Pace.until(at);
            long now = sum();
            windows.add(now - before);
            before = now;
        }
    }

    private long sum() {
        return account.outcomes().entrySet().stream()
                .filter(each -> producers.contains(each.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** Ends the count. @return outcomes per second in the median window */
    double median() {
        close();
        List<Long> sorted = windows.stream().sorted().toList();
        int middle = sorted.size() / 2;
        double median =
                sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2.0;
        return median * 1_000 / WINDOW.toMillis();
    }

    @Override
    public void close() {
        ends.set(true);
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
