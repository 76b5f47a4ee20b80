package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Holds the length of sentences in the texts of the main code: errors, lines of the log, help of commands, pages. */
class TextsTest {
    private static final String LITERAL = "\"(?:[^\"\\\\\\n]++|\\\\.)*+\"";
    /** Literals with the values between them. */
    private static final Pattern TEXT =
            Pattern.compile(LITERAL + "(?:\\s*\\+\\s*(?:[^\";{}]*?\\+\\s*)?" + LITERAL + ")*+");

    private static final Pattern VALUE = Pattern.compile("\"\\s*\\+[^\"]*\\+\\s*\"|\\{}");
    private static final Pattern BLOCK = Pattern.compile("\"\"\".*?\"\"\"", Pattern.DOTALL);

    @Test
    void sentencesAreShort() {
        LongSentences sentences = new LongSentences();
        for (Path file : RepositoryFiles.where(path -> path.contains("/src/main/java/") && path.endsWith(".java"))) {
            texts(RepositoryFiles.text(file)).forEach(text -> sentences.read(file, text));
        }
        sentences.assertNone(5_000);
    }

    @Test
    void textsAreJoinedFromTheirLiterals() {
        assertThat(texts("""
                /** Says "hello". */
                throw new Refused("RT-1001 no room for " + count(a, b) + " messages:"
                        + " wait, or use \\"less\\"");
                log.warn("{} of {}", "x"); // "why"
                String page = \"""
                        "a page"
                        \""";
                """))
                .containsExactly(
                        new Paragraph(2, "no room for … messages: wait, or use 'less'"),
                        new Paragraph(4, "… of …"),
                        new Paragraph(4, "x"));
    }

    private static List<Paragraph> texts(String source) {
        String code = blank(BLOCK, blank(Paragraphs.COMMENT, source));
        List<Paragraph> all = new ArrayList<>();
        Matcher text = TEXT.matcher(code);
        while (text.find()) {
            all.add(new Paragraph(linesIn(code.substring(0, text.start())) + 1, spoken(text.group())));
        }
        return all;
    }

    /** Joins literals, with an ellipsis for each value between them, and without the code of an error. */
    private static String spoken(String literals) {
        String joined = literals.replace("\\\"", "'").replace("\\n", " ").replaceAll("\"\\s*\\+\\s*\"", "");
        return VALUE.matcher(joined).replaceAll("…").replaceAll("^\"|\"$", "").replaceFirst("^RT-\\d{4} ", "");
    }

    /** Takes out what is no code, and keeps the number of lines. */
    private static String blank(Pattern pattern, String source) {
        return pattern.matcher(source).replaceAll(found -> "\n".repeat(linesIn(found.group())));
    }

    private static int linesIn(String text) {
        return (int) text.chars().filter(each -> each == '\n').count();
    }
}
