package io.ringtable.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class ProducerTagTest {
    private static final long FIRST_MAX = Long.MAX_VALUE - BatchFormat.MESSAGES_MAX;

    @Test
    void holdsTwoNumbersMostSignificantByteFirst() {
        byte[] tag = ProducerTag.of(0x0102030405060708L, 0x1112L);
        assertThat(tag).isEqualTo(HexFormat.of().parseHex("01020304050607080000000000001112"));
        assertThat(ProducerTag.first(tag)).isEqualTo(0x0102030405060708L);
        assertThat(ProducerTag.previous(tag)).isEqualTo(0x1112L);
    }

    @Test
    void isValidIfTheSecondNumberMayComeBeforeTheFirst() {
        assertThat(ProducerTag.isValid(ProducerTag.of(1, 0))).isTrue();
        assertThat(ProducerTag.isValid(ProducerTag.of(FIRST_MAX, FIRST_MAX - 1)))
                .isTrue();
        assertThat(ProducerTag.isValid(ProducerTag.of(0, 0))).isFalse();
        assertThat(ProducerTag.isValid(ProducerTag.of(2, 2))).isFalse();
        assertThat(ProducerTag.isValid(ProducerTag.of(2, -1))).isFalse();
        assertThat(ProducerTag.isValid(ProducerTag.of(-1, -2))).isFalse();
        assertThat(ProducerTag.isValid(ProducerTag.of(FIRST_MAX + 1, 1))).isFalse();
        assertThat(ProducerTag.isValid(new byte[15])).isFalse();
        assertThat(ProducerTag.isValid(new byte[17])).isFalse();
    }
}
