package io.ringtable.broker.store.sqlite.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringtable.broker.store.StoreFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Helps the tests of copies with files and refusals. Thread: the test's. */
final class CopiedFiles {
    private CopiedFiles() {}

    /**
     * As {@code cp -r}, or as the files are after a kill. Another process copies: reading the file here would end the
     * locks that SQLite has on it in this one.
     */
    static void copyStore(Path data, Path copy) throws Exception {
        Files.createDirectory(copy);
        for (String name : List.of("ringtable.db", "ringtable.db-wal")) {
            if (Files.exists(data.resolve(name))) {
                Process cp = new ProcessBuilder(
                                "cp",
                                data.resolve(name).toString(),
                                copy.resolve(name).toString())
                        .start();
                assertThat(cp.waitFor()).isZero();
            }
        }
    }

    static List<String> filesBeside(Path file) throws Exception {
        try (Stream<Path> files = Files.list(file.getParent())) {
            return files.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    static StoreFailure refused(Runnable call) {
        StoreFailure failure = catchThrowableOfType(StoreFailure.class, call::run);
        assertThat(failure).isNotNull();
        return failure;
    }
}
