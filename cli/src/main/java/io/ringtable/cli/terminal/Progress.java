package io.ringtable.cli.terminal;

import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows a progress bar if standard error is a terminal, and nothing otherwise. */
public final class Progress implements AutoCloseable {
    private static final int WIDTH = 100;

    private final ProgressBar bar; // null: standard error is no terminal

    /**
     * @param task label of the bar
     * @param max position at which the task is done; below 0 if unknown
     * @param unit of the position, with a leading space
     */
    public Progress(String task, long max, String unit) {
        bar = Terminal.isAttached()
                ? new ProgressBarBuilder()
                        .setTaskName(task)
                        .setInitialMax(max)
                        .setUnit(unit, 1)
                        .setStyle(ProgressBarStyle.ASCII)
                        .setConsumer(new ConsoleProgressBarConsumer(System.err, WIDTH))
                        .build()
                : null;
    }

    public void at(long position) {
        if (bar != null) {
            bar.stepTo(position);
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
