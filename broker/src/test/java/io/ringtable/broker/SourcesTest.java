package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Holds the form of all Java sources: width of lines, length of classes, English of comments. */
class SourcesTest {
    private static final int WIDTH = 120;
    private static final int LINES = 400;
    /** A class that is longer says why, in its Javadoc. */
    private static final String REASON = "<p>Longer than others, because ";

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
            for (Paragraph paragraph : Paragraphs.ofJava(RepositoryFiles.text(file))) {
                if (Prose.isStumbledOver(paragraph.text())) {
                    stumbled.add(RepositoryFiles.name(file) + ":" + paragraph.line() + " " + paragraph.text());
                }
            }
        }
        assertThat(stumbled).isEmpty();
    }

    @Test
    void sentencesOfCommentsAreShort() {
        LongSentences sentences = new LongSentences();
        for (Path file : sources()) {
            Paragraphs.ofJava(RepositoryFiles.text(file)).forEach(paragraph -> sentences.read(file, paragraph));
        }
        sentences.assertNone(10_000);
    }

    private static List<Path> sources() {
        return RepositoryFiles.where(path -> path.endsWith(".java"));
    }
}
