package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

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
}
