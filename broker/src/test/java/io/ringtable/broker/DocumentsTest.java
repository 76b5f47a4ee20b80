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
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Holds the form of documents, SQL and scripts: the width of lines, and openings that a reader stumbles over.
 * <p>
 * Markdown cannot break the row of a table, a heading, or a line without a space behind the mark of its list: these may be
 * longer. Migrations may be as well, since their checksums stand in the databases that have run them, and so may
 * {@code schema.sql}, which repeats them.
 */
class DocumentsTest {
    private static final Path ROOT =
            Path.of(System.getProperty("ringtable.root", "..")).toAbsolutePath().normalize();
    /** What is built, fetched or measured, not written. */
    private static final Set<String> NOT_WRITTEN = Set.of("target", "data", "results", "node_modules");

    private static final int WIDTH = 120;
    private static final Pattern UNBREAKABLE = Pattern.compile("\\|.*|#+ .*|\\s*([-*>]|\\d+\\.)?\\s*\\S+");

    private static final Pattern PHRASE =
            Pattern.compile("\\b(as what|but for|for so long|even so)\\b", Pattern.CASE_INSENSITIVE);
    /** At the beginning of a paragraph, an item or a cell, or behind a sentence, and not in a question. */
    private static final Pattern OPENING =
            Pattern.compile("(?:^(?:\\s*(?:[-*>]|\\d+\\.)\\s+)?|[.!?]\\s+|\\|\\s+)(?:\\*\\*)?"
                    + "(?:Who|Whom|Whose|Whoever|What|Whatever|That which)\\b[^?|]*(?:[.:;|]|$)");

    @Test
    void linesAreNotWiderThanAPage() {
        List<String> wide = new ArrayList<>();
        for (Path file : files(DocumentsTest::isHeld)) {
            boolean markdown = file.toString().endsWith(".md");
            boolean code = false;
            int number = 0;
            for (String line : lines(file)) {
                number++;
                code ^= markdown && line.stripLeading().startsWith("```");
                boolean breakable =
                        !markdown || code || !UNBREAKABLE.matcher(line).matches();
                if (breakable && line.length() > WIDTH) {
                    wide.add(ROOT.relativize(file) + ":" + number + " is " + line.length() + " wide");
                }
            }
        }
        assertThat(wide).isEmpty();
    }

    @Test
    void sentencesNameTheirSubject() {
        List<String> stumbled = new ArrayList<>();
        for (Path file : files(path -> path.toString().endsWith(".md"))) {
            for (String paragraph : paragraphs(file)) {
                if (isStumbledOver(paragraph)) {
                    stumbled.add(ROOT.relativize(file) + ": " + paragraph);
                }
            }
        }
        assertThat(stumbled).isEmpty();
    }

    @Test
    void openingsAreFound() {
        assertThat(List.of(
                        "As it is. What is stored stays.",
                        "- Who asks for much waits for itself.",
                        "| `a` | none | As what it is created. |",
                        "**What the inbox costs.** A look"))
                .allMatch(DocumentsTest::isStumbledOver);
        assertThat(List.of("What does a flush cost?", "The reader knows what it owes."))
                .noneMatch(DocumentsTest::isStumbledOver);
    }

    private static boolean isStumbledOver(String text) {
        return PHRASE.matcher(text).find() || OPENING.matcher(text).find();
    }

    private static boolean isHeld(Path file) {
        String path = ROOT.relativize(file).toString().replace('\\', '/');
        return path.endsWith(".md")
                || path.endsWith(".sh")
                || path.startsWith("bin/")
                || path.equals(".ci/run")
                || path.endsWith(".sql") && !path.contains("/migrations/") && !path.endsWith("/schema.sql");
    }

    /** Paragraphs, items and rows, each in one line; without headings and code. */
    private static List<String> paragraphs(Path file) {
        List<String> all = new ArrayList<>();
        StringBuilder current = new StringBuilder();
        boolean code = false;
        for (String line : lines(file)) {
            boolean fence = line.stripLeading().startsWith("```");
            code ^= fence;
            boolean begins = line.isBlank() || fence || line.matches("#+ .*|\\|.*|\\s*([-*]|\\d+\\.)\\s.*");
            if (begins) {
                add(all, current);
            }
            if (!code && !fence && !line.startsWith("#")) {
                current.append(current.isEmpty() ? "" : " ").append(line.strip());
            }
        }
        add(all, current);
        return all;
    }

    private static void add(List<String> all, StringBuilder current) {
        if (!current.isEmpty()) {
            all.add(current.toString().replaceAll("`[^`]*`", "`…`"));
            current.setLength(0);
        }
    }

    private static List<Path> files(Predicate<Path> wanted) {
        List<Path> files = new ArrayList<>();
        try {
            Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                    String name = folder.getFileName().toString();
                    boolean hidden = name.startsWith(".") && !name.equals(".ci");
                    return !folder.equals(ROOT) && (hidden || NOT_WRITTEN.contains(name))
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (wanted.test(file)) {
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

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
