package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Collects sentences that have more words than a reader takes in at once, with their places. */
final class LongSentences {
    private static final int SHOWN = 80; // characters of a sentence

    private final List<String> found = new ArrayList<>();
    private int read;

    void read(Path file, Paragraph paragraph) {
        for (String sentence : Prose.sentences(paragraph.text())) {
            read++;
            int words = Prose.words(sentence);
            if (words > Prose.WORDS_MAX) {
                found.add(RepositoryFiles.name(file) + ":" + paragraph.line() + " has " + words + " words: "
                        + sentence.substring(0, Math.min(SHOWN, sentence.length())));
            }
        }
    }

    /** @param least sentences that were there to read: where none is read, none is long */
    void assertNone(int least) {
        assertThat(read).as("sentences read").isGreaterThan(least);
        assertThat(found)
                .as("sentences of more than %d words: say one thing in each", Prose.WORDS_MAX)
                .isEmpty();
    }
}
