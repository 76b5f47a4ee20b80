package io.ringtable.benchmarks.bench;

import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * Shows a progress bar with the run at hand if standard error is a terminal, and nothing otherwise. The script
 * {@code bin/ringtable} says it by the system property {@code bench.terminal}. Thread: one.
 */
final class RunProgress implements AutoCloseable {
    private static final int WIDTH = 100;

    private final ProgressBar bar = Boolean.getBoolean("bench.terminal")
            ? new ProgressBarBuilder()
                    .setTaskName("bench")
                    .setStyle(ProgressBarStyle.ASCII)
                    .setConsumer(new ConsoleProgressBarConsumer(System.err, WIDTH))
                    .build()
            : null;

    void of(long runs) {
        if (bar != null) {
            bar.maxHint(runs);
        }
    }

    /** @param run in words */
    void begins(String run) {
        if (bar != null) {
            bar.setExtraMessage(run);
            bar.step();
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
