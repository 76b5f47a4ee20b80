package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Finds the files of the repository that somebody wrote, in all modules, for tests of their form. */
final class RepositoryFiles {
    private static final Path ROOT =
            Path.of(System.getProperty("ringtable.root", "..")).toAbsolutePath().normalize();
    /** Folders whose content is built, fetched or measured. */
    private static final Set<String> NOT_WRITTEN = Set.of("target", "data", "results", "node_modules");

    private RepositoryFiles() {}

    /** Returns the files whose names, as {@link #name} says them, are wanted. */
    static List<Path> where(Predicate<String> wanted) {
        List<Path> files = new ArrayList<>();
        try {
            Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                    String name = folder.getFileName().toString();
                    boolean hidden = name.startsWith(".") && !name.equals(".ci");
                    boolean measured = name.startsWith("bench-"); // by bin/ringtable bench in the checkout
                    return !folder.equals(ROOT) && (hidden || measured || NOT_WRITTEN.contains(name))
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (wanted.test(name(file))) {
                        files.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException vanished) {
                    return FileVisitResult.CONTINUE; // of another test, below target
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        assertThat(files).as("files below %s", ROOT).hasSizeGreaterThan(20);
        return files;
    }

    /** Returns the path from the root of the repository, with slashes. */
    static String name(Path file) {
        return ROOT.relativize(file).toString().replace('\\', '/');
    }

    static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Path root() {
        return ROOT;
    }
}
