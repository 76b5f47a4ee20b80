package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Holds the form of all Java sources: width of lines, length of classes, English of comments. */
class SourcesTest {
    private static final int WIDTH = 120;
    private static final int LINES = 400;
    /** A class that is longer says why, in its Javadoc. */
    private static final String REASON = "<p>Longer than others, because ";

    private static final Pattern COMMENT = Pattern.compile("/\\*\\*(.*?)\\*/|//([^\\n]*)", Pattern.DOTALL);
    private static final Pattern BLOCK = Pattern.compile("<p>|<li>|<ul>|<ol>|<pre>.*?</pre>|\\n\\s*(?=@)|\\n\\s*\\n");

    @Test
    void linesAreNotWiderThanAPage() {
        List<String> wide = new ArrayList<>();
        for (Path file : sources()) {
            int number = 0;
            for (String line : RepositoryFiles.lines(file)) {
                number++;
                if (line.codePointCount(0, line.length()) > WIDTH) {
                    wide.add(RepositoryFiles.name(file) + ":" + number + " is " + line.length() + " wide");
                }
            }
        }
        assertThat(wide).isEmpty();
    }

    @Test
    void classesAreShortOrSayWhyNot() {
        List<String> longOnes = new ArrayList<>();
        for (Path file : sources()) {
            int lines = RepositoryFiles.lines(file).size();
            if (lines > LINES && !RepositoryFiles.text(file).contains(REASON)) {
                longOnes.add(
                        RepositoryFiles.name(file) + " has " + lines + " lines: divide it, or say '" + REASON + "'");
            }
        }
        assertThat(longOnes).isEmpty();
    }

    @Test
    void commentsNameTheirSubject() {
        List<String> stumbled = new ArrayList<>();
        for (Path file : sources()) {
            for (String paragraph : paragraphs(RepositoryFiles.text(file))) {
                if (Prose.isStumbledOver(paragraph)) {
                    stumbled.add(RepositoryFiles.name(file) + ": " + paragraph);
                }
            }
        }
        assertThat(stumbled).isEmpty();
    }

    @Test
    void paragraphsOfCommentsAreFound() {
        assertThat(paragraphs("""
                /**
                 * Returns a thing, which
                 * is whole.
                 * <p>It is large.
                 *
                 * @param thing what is given
                 */
                int x; // no matter what
                """)).contains("Returns a thing, which is whole.", "It is large.", "no matter what");
    }

    /** Paragraphs, items and tags of comments, each in one line; neither code nor strings. */
    private static List<String> paragraphs(String source) {
        List<String> all = new ArrayList<>();
        for (MatchResult comment : COMMENT.matcher(source).results().toList()) {
            String text = comment.group(1) == null
                    ? comment.group(2)
                    : comment.group(1).replaceAll("\\n[ \\t]*\\*", "\n");
            for (String block : BLOCK.split(text.replaceAll("\\{@\\w+[^}]*}", "…"))) {
                String paragraph = block.replaceAll("\\s+", " ").strip();
                if (!paragraph.isEmpty()) {
                    all.add(paragraph);
                }
            }
        }
        return all;
    }

    private static List<Path> sources() {
        return RepositoryFiles.where(path -> path.endsWith(".java"));
    }
}
