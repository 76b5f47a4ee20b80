package io.ringtable.broker.message;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrintableTest {

    @Test
    void leavesTextOfAllWritingsAsItIs() {
        String text = "queue 'zürich/東京 \uD83D\uDE80' — 100 %";
        assertThat(Printable.text(text)).isSameAs(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\n", "\r", "\t", "\0", "\u001b", "\u007f", "\u0085", "\u009b", "\u2028", "\u2029", "\u202e", "\u2066",
                "\u200b", "\ufeff", "\ud83d", "\ude80"
            })
    void replacesWhatForgesLinesOrHidesText(String hostile) {
        assertThat(Printable.value("a" + hostile + "b")).isEqualTo("a?b");
    }

    @Test
    void cutsWhatIsLongAndSaysHowLongItWas() {
        assertThat(Printable.value("x".repeat(5_000))).isEqualTo("x".repeat(200) + "… (5000 characters)");
        assertThat(Printable.value("\uD83D\uDE80".repeat(150).substring(1))).hasSizeLessThan(230);
        assertThat(Printable.text("x".repeat(5_000))).hasSizeLessThan(2_030);
        assertThat(Printable.value(null)).isEqualTo("null");
        assertThat(Printable.text(null)).isNull();
    }

    @Test
    void cleansEveryRefusal() {
        assertThat(new Refusal(Refusal.Reason.INVALID, "RT-2010", "a\nb").toString())
                .isEqualTo("RT-2010 a?b");
    }
}
