package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Holds the form of documents, SQL and scripts: the width of lines, openings that a reader stumbles over, and the
 * length of sentences.
 * <p>
 * Markdown cannot break the row of a table, a heading, or a line without a space behind its list mark: these may be
 * longer. Migrations may be longer as well, since databases that ran them hold their checksums. So may
 * {@code schema.sql}, which repeats them.
 */
class DocumentsTest {
    private static final int WIDTH = 120;
    private static final Pattern UNBREAKABLE = Pattern.compile("\\|.*|#+ .*|\\s*([-*>]|\\d+\\.)?\\s*\\S+");
    /** Beginnings of the paths of documents whose sentences may be longer, with the reason. */
    private static final Map<String, String> LONG_SENTENCES = Map.of(
            "docs/adr/0", "a decision is superseded, and not rewritten",
            "BENCHMARKS.md", "its text belongs to what was measured");
    /** The words of which public classes may have names, for CodeMapTest: a list, and no sentence. */
    private static final Pattern WORD_LIST = Pattern.compile("- \\*\\*[^*]+:\\*\\* \\w+(, \\w+)+");

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
            for (Paragraph paragraph : Paragraphs.ofMarkdown(RepositoryFiles.lines(file))) {
                if (Prose.isStumbledOver(paragraph.text())) {
                    stumbled.add(RepositoryFiles.name(file) + ":" + paragraph.line() + " " + paragraph.text());
                }
            }
        }
        assertThat(stumbled).isEmpty();
    }

    @Test
    void sentencesAreShort() {
        LongSentences sentences = new LongSentences();
        for (Path file : RepositoryFiles.where(DocumentsTest::hasShortSentences)) {
            Paragraphs.ofMarkdown(notReleased(file)).stream()
                    .filter(paragraph -> !WORD_LIST.matcher(paragraph.text()).matches())
                    .forEach(paragraph -> sentences.read(file, paragraph));
        }
        sentences.assertNone(5_000);
    }

    private static boolean hasShortSentences(String path) {
        return path.endsWith(".md") && LONG_SENTENCES.keySet().stream().noneMatch(path::startsWith);
    }

    /** Returns the lines of a document; a released section of the changelog stays as it was. */
    private static List<String> notReleased(Path file) {
        boolean changelog = RepositoryFiles.name(file).equals("CHANGELOG.md");
        return RepositoryFiles.lines(file).stream()
                .takeWhile(line -> !changelog || !line.matches("## \\d.*"))
                .toList();
    }

    private static boolean isHeld(String path) {
        return path.endsWith(".md")
                || path.endsWith(".sh")
                || path.startsWith("bin/")
                || path.equals(".ci/run")
                || path.endsWith(".sql") && !path.contains("/migrations/") && !path.endsWith("/schema.sql");
    }
}
