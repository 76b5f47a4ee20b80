package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Holds the form of documents, SQL and scripts: the width of lines, and openings that a reader stumbles over.
 * <p>
 * Markdown cannot break the row of a table, a heading, or a line without a space behind its list mark: these may be
 * longer. Migrations may be longer as well, since databases that ran them hold their checksums. So may
 * {@code schema.sql}, which repeats them.
 */
class DocumentsTest {
    private static final int WIDTH = 120;
    private static final Pattern UNBREAKABLE = Pattern.compile("\\|.*|#+ .*|\\s*([-*>]|\\d+\\.)?\\s*\\S+");

    @Test
    void linesAreNotWiderThanAPage() {
        List<String> wide = new ArrayList<>();
        for (Path file : RepositoryFiles.where(DocumentsTest::isHeld)) {
            boolean markdown = file.toString().endsWith(".md");
            boolean code = false;
            int number = 0;
            for (String line : RepositoryFiles.lines(file)) {
                number++;
                code ^= markdown && line.stripLeading().startsWith("```");
                boolean breakable =
                        !markdown || code || !UNBREAKABLE.matcher(line).matches();
                if (breakable && line.length() > WIDTH) {
                    wide.add(RepositoryFiles.name(file) + ":" + number + " is " + line.length() + " wide");
                }
            }
        }
        assertThat(wide).isEmpty();
    }

    @Test
    void sentencesNameTheirSubject() {
        List<String> stumbled = new ArrayList<>();
        for (Path file : RepositoryFiles.where(path -> path.endsWith(".md"))) {
            for (String paragraph : paragraphs(file)) {
                if (Prose.isStumbledOver(paragraph)) {
                    stumbled.add(RepositoryFiles.name(file) + ": " + paragraph);
                }
            }
        }
        assertThat(stumbled).isEmpty();
    }

    private static boolean isHeld(String path) {
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
        for (String line : RepositoryFiles.lines(file)) {
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
}
