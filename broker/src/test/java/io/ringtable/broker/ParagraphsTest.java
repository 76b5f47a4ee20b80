package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ParagraphsTest {
    @Test
    void documentsHaveParagraphsItemsAndRows() {
        assertThat(Paragraphs.ofMarkdown("""
                # Heading

                A paragraph with `code
                of two lines`.
                - An item,
                  that goes on
                | a | `b|c` |
                ```sh
                no prose
                ```
                The end.
                """.lines().toList()))
                .containsExactly(
                        new Paragraph(3, "A paragraph with `…`."),
                        new Paragraph(5, "- An item, that goes on"),
                        new Paragraph(7, "| a | `…` |"),
                        new Paragraph(11, "The end."));
    }

    @Test
    void commentsHaveParagraphsItemsAndTags() {
        assertThat(Paragraphs.ofJava("""
                /**
                 * Returns a {@link
                 * Thing}, which is whole.
                 * <p>
                 * It is large: <pre>{@code
                 * int size;
                 * }</pre>
                 * <ul>
                 *   <li>one
                 * </ul>
                 *
                 * @param thing what is given
                 */
                int x; // no matter what
                // two lines
                // of one comment
                String y = "https://example.org/**";
                """))
                .containsExactly(
                        new Paragraph(2, "Returns a …, which is whole."),
                        new Paragraph(5, "It is large:"),
                        new Paragraph(9, "one"),
                        new Paragraph(12, "@param thing what is given"),
                        new Paragraph(14, "no matter what two lines of one comment"));
    }
}
