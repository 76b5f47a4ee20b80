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
}
