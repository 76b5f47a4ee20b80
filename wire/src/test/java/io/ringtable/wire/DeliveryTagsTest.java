package io.ringtable.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

public class DeliveryTagsTest {
    private static byte[] key() {
        byte[] secret = new byte[24];
        for (int i = 0; i < secret.length; i++) {
            secret[i] = (byte) i;
        }
        return secret;
    }

    private static String tag(DeliveryTags tags, long epoch, long subscription, long sequence) {
        return new String(tags.of(epoch, subscription, sequence), StandardCharsets.US_ASCII);
    }

    /** Expects tags that Python's hashlib and struct have computed. The last one fills the 32 bytes of AMQP. */
    @ParameterizedTest
    @CsvSource({
        "3, 17, 123456, D.R.eJA.eE3hoEI0HO",
        "0, 0, 0, A.A.A.Ki7CcGRxXk",
        "16777215, 68719476735, 18014398509481983, ____.______._________.vXlIjtd4Cy"
    })
    public void isWhatAnybodyWithTheKeyComputes(long epoch, long subscription, long sequence, String expected) {
        assertThat(tag(new DeliveryTags(new DeliveryCodes(key())), epoch, subscription, sequence))
                .isEqualTo(expected);
    }

    @Test
    public void oneLinkNamesManyDeliveries() {
        DeliveryTags tags = new DeliveryTags(new DeliveryCodes(key()));
        String first = tag(tags, 3, 17, 123_456);
        assertThat(tag(tags, 3, 17, 7)).startsWith("D.R.H.");
        assertThat(tag(tags, 4, 18, 7)).startsWith("E.S.H.");
        assertThat(tag(tags, 3, 17, 123_456)).isEqualTo(first);
    }

    @Test
    public void hasNoCodeWhereNobodySettlesByIt() {
        assertThat(tag(new DeliveryTags(null), 3, 17, 123_456)).isEqualTo("D.R.eJA");
    }

    /**
     * Of a shard other than 0 the second part is the id within the shard, times 1,024, plus the shard. The codes are
     * again Python's, of the whole id. The last one has the most that fits beside an epoch of today in shard 1023.
     */
    @ParameterizedTest
    @CsvSource({
        "3, 1099511627776, 123456, D:B.eJA.zVtSbPoMqA",
        "3, 1099511627793, 123456, D:EQB.eJA.IUq3PEKXwm",
        "1790000000000, 1124800395218943, 281474976710655, aDEUGwA:P___.________.g4P43y-Z6I"
    })
    public void tellsTheShardOfItsSubscription(long epoch, long subscription, long sequence, String expected) {
        assertThat(tag(new DeliveryTags(new DeliveryCodes(key())), epoch, subscription, sequence))
                .isEqualTo(expected);
    }

    @Test
    public void isANumberWhereItsPartsHaveNoRoom() {
        DeliveryTags tags = new DeliveryTags(new DeliveryCodes(key()));
        assertThat(tag(tags, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE)).isEqualTo(Long.toString(Long.MAX_VALUE));
    }
}
