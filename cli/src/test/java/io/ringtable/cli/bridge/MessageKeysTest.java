package io.ringtable.cli.bridge;

import static io.ringtable.cli.bridge.CarriedMessageTest.body;
import static io.ringtable.cli.bridge.CarriedMessageTest.carried;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.cli.bridge.BridgeTask.Recognition;
import io.ringtable.wire.DeliveryTags;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageKeysTest {
    private static final byte[] TAG = {1, 2, 3};

    private final MessageKeys artemis = new MessageKeys("bridge", Product.ARTEMIS, Recognition.BY_ID);

    @Test
    void aMessageOfRingtableIsKnownByItsNumberWhateverElseTheTagSays() throws Exception {
        MessageKeys keys = new MessageKeys("bridge", Product.RINGTABLE, Recognition.BY_ID);
        DeliveryTags tags = new DeliveryTags(null);

        String first = keys.of(tags.of(1_700_000_000_000L, 3, 4_711), carried(body("x")));
        String afterRestart = keys.of(tags.of(1_800_000_000_000L, 3, 4_711), carried(body("x")));
        String next = keys.of(tags.of(1_800_000_000_000L, 3, 4_712), carried(body("x")));
        String long32 = keys.of(DeliveryTags.numbered(4_711), carried(body("x")));

        assertThat(first).hasSize(32).isEqualTo(afterRestart).isEqualTo(long32).isNotEqualTo(next);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 63, 64, 4_095, 4_096, 1L << 40, Long.MAX_VALUE})
    void readsTheNumberThatTheWireModuleHasWritten(long sequence) {
        assertThat(MessageKeys.number(new DeliveryTags(null).of(1, 2, sequence)))
                .isEqualTo(Long.toString(sequence));
    }

    /** A volatile subscription of a topic with parts has such tags. */
    @Test
    void readsANumberWithItsShard() {
        assertThat(MessageKeys.number(DeliveryTags.numbered(4_711))).isEqualTo("4711");
        assertThat(MessageKeys.number(DeliveryTags.numbered(4_711, 3))).isEqualTo("4711@3");
    }

    /** A queue that moves to another shard has the same numbers there, for other messages. */
    @Test
    void theSameNumberInAnotherShardIsAnotherMessage() throws Exception {
        MessageKeys keys = new MessageKeys("bridge", Product.RINGTABLE, Recognition.BY_ID);
        DeliveryTags tags = new DeliveryTags(null);
        long inShard3 = (3L << 40) + 17;

        assertThat(MessageKeys.number(tags.of(1_800_000_000_000L, inShard3, 4_711)))
                .isEqualTo("4711@3");
        String key = keys.of(tags.of(1_800_000_000_000L, inShard3, 4_711), carried(body("x")));
        assertThat(key)
                .isEqualTo(keys.of(tags.of(1_900_000_000_000L, inShard3 + 1, 4_711), carried(body("x"))))
                .isNotEqualTo(keys.of(tags.of(1_800_000_000_000L, 17, 4_711), carried(body("x"))));
    }

    @Test
    void refusesATagOfRingtableThatHasNoNumber() {
        assertThatThrownBy(() -> MessageKeys.number("no.number".getBytes(StandardCharsets.US_ASCII)))
                .isInstanceOf(BridgeFailure.class)
                .hasMessageStartingWith("RT-6027 ");
    }

    @Test
    void aMessageOfAnotherBrokerIsKnownByItsIdAndBody() throws Exception {
        String key = artemis.of(TAG, carried(new Properties().setMessageId("a"), body("x")));

        assertThat(artemis.of(
                        new byte[] {9},
                        carried(new Header().setDeliveryCount(2), new Properties().setMessageId("a"), body("x"))))
                .as("the same, delivered again")
                .isEqualTo(key);
        assertThat(artemis.of(TAG, carried(new Properties().setMessageId("b"), body("x"))))
                .as("another id")
                .isNotEqualTo(key);
        assertThat(artemis.of(TAG, carried(new Properties().setMessageId("a"), body("y"))))
                .as("an id used for two messages")
                .isNotEqualTo(key);
        assertThat(new MessageKeys("other", Product.ARTEMIS, Recognition.BY_ID)
                        .of(TAG, carried(new Properties().setMessageId("a"), body("x"))))
                .as("the same id from another source")
                .isNotEqualTo(key);
    }

    @Test
    void aMessageThatNothingTellsFromAnotherIsRefusedUnlessItsBytesCount() throws Exception {
        CarriedMessage nameless = carried(new Properties().setTo("t"), body("x"));
        MessageKeys byContent = new MessageKeys("bridge", Product.ARTEMIS, Recognition.BY_CONTENT);

        assertThatThrownBy(() -> artemis.of(TAG, nameless))
                .isInstanceOf(BridgeFailure.class)
                .hasMessageStartingWith("RT-6026 ");
        assertThat(byContent.of(TAG, nameless))
                .isEqualTo(byContent.of(TAG, carried(new Header(), new Properties().setTo("t"), body("x"))))
                .isNotEqualTo(byContent.of(TAG, carried(new Properties().setTo("u"), body("x"))));
    }

    @Test
    void thePublishersOwnDuplicateIdCountsAndNeedsNoKey() throws Exception {
        assertThat(artemis.of(TAG, carried(new ApplicationProperties(Map.of("_AMQ_DUPL_ID", "mine")), body("x"))))
                .isNull();
    }
}
