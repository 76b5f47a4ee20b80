package io.ringtable.broker.message;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a text of SQL Server comes back as it was, also where a surrogate stands alone. */
class Utf16Test {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a",
                "grün 🌱 한국어 \uD7FF ",
                "\uD83C",
                "\uDF31",
                "a\uD83Cb\uDF31",
                "\uDF31\uD83C",
                "🌱\uD83C",
                "\uD83C🌱\uD83C"
            })
    void aTextComesBackAsItWas(String text) {
        assertThat(Utf16.ofUtf8(Utf16.toUtf8(text))).isEqualTo(text);
    }
}
