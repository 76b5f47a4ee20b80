package io.ringtable.cli;

import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A progress bar on standard error where a person is watching, nothing elsewhere. */
final class Progress implements AutoCloseable {
    private static final int WIDTH = 100;

    private final ProgressBar bar; // null = nobody is watching

    /**
     * @param task what goes on
     * @param max at which it is done; below 0 = not known
     * @param unit name of what is counted, with a leading space
     */
    Progress(String task, long max, String unit) {
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

    void at(long position) {
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
