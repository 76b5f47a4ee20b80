package io.ringtable.acceptance.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Holds every Java thread of a JVM at a safepoint, as a long pause of its collector does, for as long as the test
 * likes. The JVM dumps its heap into a pipe, which takes little until it is read.
 * <p>
 * Thread: one at a time; a thread of its own reads.
 */
public final class SafepointPause {
    private static final long MOST_SECONDS = 60;

    private final Path pipe;
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread reader = new Thread(this::read, "safepoint-pause");
    private final Process dump;
    private volatile IOException failure; // written by the reader

    private SafepointPause(long pid, Path directory) throws IOException {
        pipe = directory.resolve("heap-" + pid + "-" + System.nanoTime());
        await(new ProcessBuilder("mkfifo", pipe.toString()).start());
        dump = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(pid),
                        "GC.heap_dump",
                        "-overwrite",
                        pipe.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        reader.setDaemon(true);
        reader.start();
    }

    /** Returns when all Java threads of the process stand. */
    public static SafepointPause of(long pid, Path directory) {
        try {
            SafepointPause pause = new SafepointPause(pid, directory);
            assertThat(pause.begun.await(MOST_SECONDS, TimeUnit.SECONDS))
                    .as("the first byte of a heap dump of process " + pid)
                    .isTrue();
            return pause;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void read() {
        try (InputStream in = Files.newInputStream(pipe)) { // returns when the JVM has opened its end
            byte[] bytes = new byte[1 << 20];
            in.read(bytes, 0, 1); // it writes while it is at the safepoint
            begun.countDown();
            ended.await();
            while (in.read(bytes) >= 0) {
                continue;
            }
        } catch (IOException e) {
            failure = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Lets the process go on; returns when it has written its dump. */
    public void end() {
        ended.countDown();
        try {
            reader.join(TimeUnit.SECONDS.toMillis(MOST_SECONDS));
            await(dump);
            Files.deleteIfExists(pipe);
            if (failure != null) {
                throw failure;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(Process process) {
        try {
            assertThat(process.waitFor(MOST_SECONDS, TimeUnit.SECONDS))
                    .as(() -> process.info() + " ends")
                    .isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
