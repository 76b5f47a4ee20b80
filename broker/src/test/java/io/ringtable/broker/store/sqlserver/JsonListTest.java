package io.ringtable.broker.store.sqlserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the list for a procedure where a table-valued parameter would be too much. */
class JsonListTest {
    @Test
    void idsAreWrittenDigitByDigit() {
        assertThat(JsonList.json(List.of(Long.MAX_VALUE, 0L, -1L))).isEqualTo("[9223372036854775807,0,-1]");
        assertThat(JsonList.json(List.of())).isEqualTo("[]");
    }

    @Test
    void textHasNoBackslashWhateverIsInIt() {
        assertThat(JsonList.json(List.of("it's \"q\" \\ 100% \n\u0001", "注文 😀", "％")))
                .isEqualTo("[\"it's %22q%22 %5C 100%25 %0A%01\",\"注文 😀\",\"％\"]");
    }

    @Test
    void aColumnWithoutAValueIsNull() {
        assertThat(JsonList.json(Arrays.asList(Map.of("bit", 3), null))).isEqualTo("[{\"bit\":3},null]");
    }
}
