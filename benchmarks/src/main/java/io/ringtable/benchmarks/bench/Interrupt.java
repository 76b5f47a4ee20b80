package io.ringtable.benchmarks.bench;

import java.util.concurrent.CountDownLatch;

/**
 * Lets an interrupt of the process end its work in order: databases are removed, servers stopped and results written
 * before the process ends. Thread: the one that works; the hook waits for it.
 */
final class Interrupt {
    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook;

    /** @param stop asks the work to end */
    Interrupt(Runnable stop) {
        hook = new Thread(
                () -> {
                    stop.run();
                    try {
                        done.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "bench-interrupt");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Says that the work has ended. */
    void over() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException interrupted) {
            done.countDown(); // the process is ending, and the hook waits
        }
    }
}
