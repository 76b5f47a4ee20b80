package io.ringtable.benchmarks.design;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Reads the SQL of one engine's designs from {@code designs/<engine>}. Thread: any. */
final class DesignFiles {
    private final String engine;

    DesignFiles(String engine) {
        this.engine = engine;
    }

    /**
     * Returns the text of a file.
     *
     * @throws IllegalStateException if there is none
     */
    String text(String name) {
        return find(name).orElseThrow(() -> new IllegalStateException(path(name) + " is not on the class path"));
    }

    /** Returns the text of a file; empty if there is none. */
    Optional<String> find(String name) {
        try (InputStream file = DesignFiles.class.getClassLoader().getResourceAsStream(path(name))) {
            return file == null
                    ? Optional.empty()
                    : Optional.of(new String(file.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(path(name), e);
        }
    }

    private String path(String name) {
        return "designs/" + engine + "/" + name + ".sql";
    }
}
