package io.ringtable.broker.store.sqlite.copy;

import io.ringtable.broker.store.StoreFailure;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/**
 * Runs a backup or a restore in a process of its own, for {@code bin/ringtable}, whose own jar has no database in it.
 * <p>
 * Standard output is for the command. It has one line per step, in UTF-8: {@code copied BYTES TOTAL}, {@code
 * checking}, and at the end {@code done TEXT} or {@code failed CODE TEXT}. The process ends when its standard input
 * does, since its caller has died then. Exit code: 0 done, 1 not; nothing has the final name then.
 * <p>
 * Thread: {@code main}, and {@code caller}, which waits for the end of standard input.
 */
final class SqliteCopyProgram {
    private static final int FAILED = 1;
    private static final PrintStream OUT =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);

    private SqliteCopyProgram() {}

    /**
     * Runs {@code backup STORE TARGET LOG_BYTES_MAX} or {@code restore BACKUP STORE MOVE_ASIDE}.
     *
     * @param arguments {@code LOG_BYTES_MAX} is how far the store's log may grow meanwhile; 0 = as far as the store is
     *     large, at least {@value LogBound#LEAST}
     */
    public static void main(String[] arguments) {
        // Before anything makes a logger: standard output is the caller's.
        System.setProperty("logback.configurationFile", "io/ringtable/broker/store/sqlite/copy/logback.xml");
        Thread caller = new Thread(SqliteCopyProgram::endWithTheCaller, "caller");
        caller.setDaemon(true);
        caller.start();
        try {
            say("done " + run(arguments));
        } catch (StoreFailure failure) {
            fail(failure.getMessage());
        }
    }

    private static String run(String[] arguments) {
        Path source = Path.of(arguments[1]);
        Path target = Path.of(arguments[2]);
        return switch (arguments[0]) {
            case "backup" -> {
                LogBound bound = LogBound.of(source, Long.parseLong(arguments[3]));
                SqliteBackup.Made made = SqliteBackup.of(source, target, new Steps(bound));
                yield String.format(
                        Locale.ROOT,
                        "%s: %,d bytes, checked, with everything that was accepted by %s",
                        made.file(),
                        made.bytes(),
                        made.asOf().truncatedTo(ChronoUnit.MILLIS));
            }
            case "restore" -> {
                SqliteRestore.Laid laid =
                        SqliteRestore.of(source, target, Boolean.parseBoolean(arguments[3]), new Steps(null));
                yield String.format(
                        Locale.ROOT,
                        "%s: %,d bytes, checked, under an epoch of its own%s",
                        laid.file(),
                        laid.bytes(),
                        laid.aside() == null ? "" : "; the store of before is " + laid.aside());
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        };
    }

    /** Prints the steps. A copy cannot be told to stop, so one whose log grows too long ends with the process. */
    private record Steps(LogBound bound) implements CopyListener {
        @Override
        public void copied(long bytes, long total) {
            say("copied " + bytes + " " + total);
            if (bound != null && bound.isPassed()) {
                fail("RT-3049 the log of the store has grown by more than " + bound.bytesMax()
                        + " bytes during the backup, of which " + bytes + " of " + total
                        + " bytes were copied: nothing is kept of it; back up when less is published, to a faster"
                        + " disk, or with a higher --log-max");
            }
        }

        @Override
        public void checking() {
            say("checking");
        }
    }

    /** Bounds the growth of a log that cannot begin anew while it is read. */
    private record LogBound(Path log, long bytesAtFirst, long bytesMax) {
        static final long LEAST = 1L << 30;

        static LogBound of(Path store, long bytesMax) {
            Path log = PartFile.beside(store, "-wal");
            return new LogBound(log, size(log), bytesMax > 0 ? bytesMax : Math.max(LEAST, size(store)));
        }

        boolean isPassed() {
            return size(log) - bytesAtFirst > bytesMax;
        }

        private static long size(Path file) {
            try {
                return Files.size(file);
            } catch (IOException e) {
                return 0; // no log, or none any more: the broker has ended
            }
        }
    }

    private static void endWithTheCaller() {
        try {
            while (System.in.read() >= 0) {
                continue;
            }
        } catch (IOException e) {
            // As good as its end.
        }
        System.exit(FAILED);
    }

    private static void say(String line) {
        OUT.println(line);
    }

    private static void fail(String line) {
        say("failed " + line.replaceAll("\\s*\\R\\s*", "; "));
        System.exit(FAILED);
    }
}
