package io.ringtable.broker.amqp.encoding;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.junit.jupiter.api.Test;

public class DeliveryHeaderTest {
    private final DeliveryHeader headers = new DeliveryHeader();

    private static byte[] message(Header header) {
        return header == null
                ? Encoded.message(new Properties().setMessageId("m"), new Data(new byte[] {1, 2, 3}))
                : Encoded.message(header, new Properties().setMessageId("m"), new Data(new byte[] {1, 2, 3}));
    }

    private static byte[] rest() {
        return message(null);
    }

    private static Header headerOf(byte[] encoded) {
        return Encoded.section(encoded, Header.class);
    }

    private static void assertRestUntouched(byte[] encoded) {
        byte[] tail = Arrays.copyOfRange(encoded, encoded.length - rest().length, encoded.length);
        assertThat(tail).isEqualTo(rest());
    }

    @Test
    public void aFirstDeliveryIsTheVeryArray() throws Exception {
        byte[] plain = message(null);
        byte[] headed = message(new Header().setDurable(true).setPriority((byte) 9));
        assertThat(headers.withDeliveryCount(plain, 0)).isSameAs(plain);
        assertThat(headers.withDeliveryCount(headed, 0)).isSameAs(headed);
    }

    @Test
    public void aRedeliveryCountsAndKeepsTheOtherFields() throws Exception {
        byte[] again = headers.withDeliveryCount(
                message(new Header()
                        .setDurable(true)
                        .setPriority((byte) 9)
                        .setTimeToLive(70_000)
                        .setFirstAcquirer(true)),
                300);
        Header header = headerOf(again);
        assertThat(header.isDurable()).isTrue();
        assertThat(header.getPriority()).isEqualTo((byte) 9);
        assertThat(header.getTimeToLive()).isEqualTo(70_000);
        assertThat(header.isFirstAcquirer()).isFalse();
        assertThat(header.getDeliveryCount()).isEqualTo(300);
        assertRestUntouched(again);
    }

    @Test
    public void aMessageWithoutHeaderGetsOneWhenItComesAgain() throws Exception {
        byte[] again = headers.withDeliveryCount(message(null), 1);
        assertThat(headerOf(again).getDeliveryCount()).isEqualTo(1);
        assertThat(headerOf(again).isDurable()).isFalse();
        assertRestUntouched(again);
    }

    @Test
    public void aShortHeaderIsFilledUp() throws Exception {
        byte[] again = headers.withDeliveryCount(message(new Header().setDurable(true)), 2);
        assertThat(headerOf(again).isDurable()).isTrue();
        assertThat(headerOf(again).getDeliveryCount()).isEqualTo(2);
        assertRestUntouched(again);
    }

    @Test
    public void aCountThatThePublisherLeftIsNotPassedOn() throws Exception {
        byte[] forwarded = message(new Header().setDurable(true).setDeliveryCount(5));
        byte[] first = headers.withDeliveryCount(forwarded, 0);
        assertThat(headerOf(first).getDeliveryCount()).isZero();
        assertThat(headerOf(first).isDurable()).isTrue();
        assertRestUntouched(first);
    }
}
