package io.ringtable.broker.store.sqlite.copy;

import io.ringtable.broker.store.StoreFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Holds several files under other names until all of them are complete and on disk. The first one gets its name last,
 * so where it has it, the others have theirs.
 * <p>
 * Thread: the caller's.
 */
final class PartFiles implements AutoCloseable {
    private final List<Path> targets;
    private final List<PartFile> parts = new ArrayList<>();

    private PartFiles(List<Path> targets) {
        this.targets = targets;
    }

    /** Makes the parts, empty; see {@link PartFile#of}. */
    static PartFiles of(List<Path> targets) {
        PartFiles made = new PartFiles(targets);
        try {
            targets.forEach(target -> made.parts.add(PartFile.of(target)));
            return made;
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
    }

    List<Path> paths() {
        return parts.stream().map(PartFile::path).toList();
    }

    long bytes() throws IOException {
        long bytes = 0;
        for (PartFile part : parts) {
            bytes += Files.size(part.path());
        }
        return bytes;
    }

    /** Syncs all parts and gives them their names, or none of them if one name is taken meanwhile. */
    void finish() throws IOException {
        int last = parts.size() - 1;
        for (int i = last; i >= 0; i--) {
            try {
                parts.get(i).finish();
            } catch (StoreFailure e) {
                for (Path named : targets.subList(i + 1, targets.size())) {
                    Files.deleteIfExists(named);
                }
                throw e;
            }
        }
    }

    @Override
    public void close() {
        parts.forEach(PartFile::close);
    }
}
