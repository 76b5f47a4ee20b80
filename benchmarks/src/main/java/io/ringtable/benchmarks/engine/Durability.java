package io.ringtable.benchmarks.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Judges whether the commits of a run were on the disk when they returned: by where the files lie, and by the counted
 * syncs. {@link BenchmarkDatabase#whyNotDurable} judges by the session's settings. Thread: any.
 */
public final class Durability {
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "rootfs");

    private Durability() {}

    /** Returns why files in a directory do not survive a crash of the machine; empty if they may. */
    static Optional<String> whyNotOnDisk(Path directory) {
        try {
            String type = Files.getFileStore(directory).type();
            return IN_MEMORY.contains(type) ? Optional.of("the files lie in memory, on " + type) : Optional.empty();
        } catch (IOException e) {
            return Optional.of("the file system does not tell its type: " + e);
        }
    }

    /**
     * Returns why the counted syncs are too few: one may serve a commit of each session, and not two of the same.
     *
     * @param commits that changed something
     * @param sessions that committed
     */
    public static Optional<String> whyNotSynced(Map<Count, Long> counts, long commits, int sessions) {
        Long syncs = counts.getOrDefault(Count.LOG_SYNCS, counts.get(Count.DEVICE_FLUSHES));
        if (syncs == null) {
            return Optional.of("neither engine nor machine counts syncs here");
        }
        long least = commits / sessions;
        return syncs < least
                ? Optional.of(syncs + " syncs for " + commits + " commits of " + sessions + " sessions")
                : Optional.empty();
    }
}
