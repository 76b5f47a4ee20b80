package io.ringtable.benchmarks.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class FormulaTest {
    private static final Row ROW = new Row(
            "s",
            "sqlite",
            new Case(Map.of(Dimension.DESIGN, "ring")),
            0,
            Map.of(Figure.LOG_BYTES, "500", Figure.MESSAGES, "4", Figure.MISSED, "0", Figure.TOP_WAIT, "WRITELOG"));

    @Test
    void aFigureIsReadAndAQuotientIsDivided() {
        assertThat(Formula.of("log_bytes").value(ROW)).isEqualTo(500);
        assertThat(Formula.of("log_bytes / messages").value(ROW)).isEqualTo(125);
        assertThat(Formula.of("log_bytes / messages")).hasToString("log_bytes / messages");
    }

    @Test
    void anAbsentFigureIsNoNumberAndNotZero() {
        assertThat(Formula.of("log_writes").value(ROW)).isNaN();
        assertThat(Formula.of("log_bytes / log_writes").value(ROW)).isNaN();
        assertThat(Formula.of("log_bytes / missed").value(ROW)).isNaN();
        assertThat(Formula.of("top_wait").value(ROW)).isNaN();
    }

    @Test
    void moreThanOneDivisionIsRefused() {
        assertThatThrownBy(() -> Formula.of("messages / log_bytes / missed"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("missed");
    }
}
