package io.ringtable.broker.store.sqlserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the rows that the driver gets. */
class TableParameterTest {
    private final TableParameter<Integer> numbers = TableParameter.of("ringtable.numbers")
            .bigint("n")
            .smallint("twice")
            .filledBy((cells, n) -> {
                cells[0] = n.longValue();
                cells[1] = n == 2 ? null : 2 * n;
            });

    @Test
    void anEmptyListHasNoRow() {
        numbers.take(List.of());
        assertThat(rows()).isEmpty();
        assertThat(numbers.next()).isFalse();
    }

    @Test
    void columnsAreCountedFromOne() {
        assertThat(numbers.getColumnCount()).isEqualTo(2);
        assertThat(numbers.getColumnMetaData(1)).isNotSameAs(numbers.getColumnMetaData(2));
    }

    @Test
    void everyRowComesOnceAndInOrderWithoutWhatTheOneBeforeItHad() {
        numbers.take(List.of(1, 2, 3));
        assertThat(rows()).containsExactly("[1, 2]", "[2, null]", "[3, 6]");
    }

    @Test
    void atItsEndItBeginsAnewForADriverThatSendsTwice() {
        numbers.take(List.of(7));
        assertThat(rows()).isEqualTo(rows()).hasSize(1);
        numbers.take(List.of(8, 9));
        assertThat(rows()).hasSize(2);
    }

    private List<String> rows() {
        List<String> seen = new ArrayList<>();
        while (numbers.next()) {
            seen.add(Arrays.toString(numbers.getRowData()));
        }
        return seen;
    }
}
