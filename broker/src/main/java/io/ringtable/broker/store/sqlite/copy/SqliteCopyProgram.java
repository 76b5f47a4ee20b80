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
import java.util.List;
import java.util.Locale;

/**
 * Runs a backup or a restore in a process of its own, for {@code bin/ringtable}, whose own jar has no database in it.
 * <p>
 * Standard output is for the command. Each step has one line there, in UTF-8: {@code copied BYTES TOTAL},
 * {@code checking}, and at the end {@code done TEXT} or {@code failed CODE TEXT}. The process ends when its standard
 * input does, since its caller has died then. Exit code: 0 done, 1 not; nothing has the final name then.
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
                        "%s%s: %,d bytes, checked, with everything that was accepted by %s",
                        made.file(),
                        shards(made.files()),
                        made.bytes(),
                        made.asOf().truncatedTo(ChronoUnit.MILLIS));
            }
            case "restore" -> {
                SqliteRestore.Laid laid =
                        SqliteRestore.of(source, target, Boolean.parseBoolean(arguments[3]), new Steps(null));
                yield String.format(
                        Locale.ROOT,
                        "%s%s: %,d bytes, checked, under an epoch of its own%s",
                        laid.file(),
                        shards(laid.files()),
                        laid.bytes(),
                        laid.aside() == null ? "" : "; the store of before is " + laid.aside());
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        };
    }

    /** Says that the files of other shards lie beside the first one. */
    private static String shards(int files) {
        return files == 1 ? "" : " with shards 0 to " + (files - 1) + " in " + files + " files";
    }

    /** Prints the steps. A copy cannot be told to stop, so one whose log grows too long ends with the process. */
    private record Steps(LogBound bound) implements CopyListener {
        @Override
        public void copied(long bytes, long total) {
            say("copied " + bytes + " " + total);
            if (bound != null && bound.isPassed()) {
                fail("RT-3049 the logs of the store have grown by more than " + bound.bytesMax()
                        + " bytes while the backup copied " + bytes + " of " + total
                        + " bytes: nothing of it is kept. Back up when less is published, to a faster disk, or with"
                        + " a higher --log-max");
            }
        }

        @Override
        public void checking() {
            say("checking");
        }
    }

    /** Bounds the growth of logs that cannot begin anew while they are read. */
    private record LogBound(List<Path> logs, long bytesAtFirst, long bytesMax) {
        static final long LEAST = 1L << 30;

        static LogBound of(Path store, long bytesMax) {
            List<Path> files = ShardFiles.of(store, ShardFiles.count(store));
            List<Path> logs =
                    files.stream().map(file -> PartFile.beside(file, "-wal")).toList();
            return new LogBound(logs, size(logs), bytesMax > 0 ? bytesMax : Math.max(LEAST, size(files)));
        }

        boolean isPassed() {
            return size(logs) - bytesAtFirst > bytesMax;
        }

        private static long size(List<Path> files) {
            return files.stream().mapToLong(LogBound::size).sum();
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
