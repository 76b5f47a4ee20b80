package io.ringtable.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

/** Reads points in time; now is noon. */
class SinceTimeTest {
    private final SinceTime since = new SinceTime(InstantSource.fixed(Instant.parse("2026-11-21T12:00:00Z")));

    @ParameterizedTest
    @CsvSource({
        "2026-11-21T10:00:00Z, 2026-11-21T10:00:00Z",
        "2026-11-21T10:00+02:00, 2026-11-21T08:00:00Z",
        "90s, 2026-11-21T11:58:30Z",
        "30m, 2026-11-21T11:30:00Z",
        "2h, 2026-11-21T10:00:00Z",
        "7d, 2026-11-14T12:00:00Z",
        "0s, 2026-11-21T12:00:00Z",
    })
    void readsATimeOrHowLongAgoItWas(String text, Instant expected) {
        assertThat(since.convert(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "yesterday", "2026-11-21", "2026-11-21T10:00:00", "1h30m", "-1h", "5", "1000000000d"})
    void refusesEverythingElseAndSaysHowToWriteIt(String text) {
        assertThatThrownBy(() -> since.convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("'" + text + "'")
                .hasMessageContaining("2026-11-21T10:00:00Z");
    }

    @Test
    void readsByTheClockOfThisMachine() {
        assertThat(new SinceTime().convert("0s")).isBeforeOrEqualTo(Instant.now());
    }
}
