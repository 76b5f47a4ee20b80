package io.ringtable.broker.amqp.consume;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.DeliveryKey;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

public class DeliveryTagsTest {
    private static DeliveryKey key() {
        byte[] secret = new byte[DeliveryKey.BYTES];
        for (int i = 0; i < secret.length; i++) {
            secret[i] = (byte) i;
        }
        return new DeliveryKey(secret);
    }

    private static String tag(DeliveryTags tags, long epoch, long subscription, long sequence) {
        return new String(tags.of(epoch, subscription, sequence), StandardCharsets.US_ASCII);
    }

    /** Computed with hashlib and struct of Python. The last one fills the 32 bytes of AMQP. */
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

    @Test
    public void isANumberWhereItsPartsHaveNoRoom() {
        DeliveryTags tags = new DeliveryTags(new DeliveryCodes(key()));
        assertThat(tag(tags, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE)).isEqualTo(Long.toString(Long.MAX_VALUE));
    }

    @Test
    public void theKeyIsNotShown() {
        assertThat(key().toString()).isEqualTo("DeliveryKey[not shown]");
    }
}
