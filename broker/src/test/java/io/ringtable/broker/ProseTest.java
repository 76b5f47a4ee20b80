package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProseTest {
    @Test
    void openingsWithoutASubjectAreFound() {
        assertThat(List.of(
                        "As it is. What is stored stays.",
                        "- Who asks for much waits for itself.",
                        "| `a` | none | As what it is created. |",
                        "**What the inbox costs.** A look"))
                .allMatch(Prose::isStumbledOver);
    }

    @Test
    void questionsAndClausesAreNot() {
        assertThat(List.of("What does a flush cost?", "The reader knows what it owes."))
                .noneMatch(Prose::isStumbledOver);
    }

    @Test
    void sentencesEndWithTheirStopsAndCells() {
        assertThat(Prose.sentences("**Large.** See version 0.2.0 (it is new). Really? | RT-1 | a cell |"))
                .containsExactly("**Large.", "See version 0.2.0 (it is new).", "Really?", "RT-1", "a cell");
    }

    @Test
    void aWordIsOneHoweverLongItIs() {
        assertThat(Prose.words("- `…` takes 2,000 rows – and-or 3 more")).isEqualTo(7);
    }

    @Test
    void targetsOfLinksAreNoWords() {
        assertThat(Prose.sentences("See [the page](docs/a b c.md) <br> of it"))
                .singleElement()
                .satisfies(sentence -> assertThat(Prose.words(sentence)).isEqualTo(5));
    }

    @Test
    void moreThan25WordsAreTooMany() {
        LongSentences sentences = new LongSentences();
        Path page = RepositoryFiles.root().resolve("docs/page.md");

        sentences.read(page, new Paragraph(3, "word ".repeat(24) + "end."));
        sentences.assertNone(0);
        sentences.read(page, new Paragraph(4, "A short one. " + "word ".repeat(25) + "end."));

        assertThatThrownBy(() -> sentences.assertNone(0))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("docs/page.md:4 has 26 words: word word");
    }

    @Test
    void aTestThatReadsNothingFails() {
        assertThatThrownBy(() -> new LongSentences().assertNone(0)).isInstanceOf(AssertionError.class);
    }
}
