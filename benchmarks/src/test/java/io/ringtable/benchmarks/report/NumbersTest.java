package io.ringtable.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NumbersTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0         | 0
            7         | 7
            999       | 999
            0.01234   | 0.0123
            0.5       | 0.500
            1.004     | 1.00
            12.345    | 12.3
            123.45    | 123
            1234      | 1,230
            1234567   | 1,230,000
            """)
    void aFigureHasThreeSignificantDigits(double value, String text) {
        assertThat(Numbers.significant(value)).isEqualTo(text);
    }
}
