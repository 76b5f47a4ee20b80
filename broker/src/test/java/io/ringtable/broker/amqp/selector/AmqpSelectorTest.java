package io.ringtable.broker.amqp.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.amqp.encoding.Encoded;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.Message;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jakarta Messaging 3.1 section 3.8, on encoded messages. */
public class AmqpSelectorTest {
    private static final Address TOPIC = new Address(1, "t", AddressKind.TOPIC, new AddressQuota(1, 1));

    private final Map<String, Object> values = new HashMap<>(Map.of(
            "color", "red", "size", 42, "weight", 2.5d, "big", 5_000_000_000L, "loud", true, "quoted", "it's 50%"));
    private final Properties properties = new Properties();

    private Message message() {
        byte[] encoded = Encoded.message(
                new Header().setDurable(true), properties, new ApplicationProperties(values), new AmqpValue<>("body"));
        return new Message(TOPIC, 0, 7, 0, 0, encoded, 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "color = 'red'",
                "color <> 'blue' AND size > 41",
                "size BETWEEN 40 AND 42",
                "size * 2 = 84 OR nothing = 1",
                "weight >= 2.5 AND big > 4999999999",
                "loud",
                "loud = TRUE AND NOT (color = 'blue')",
                "color IN ('blue', 'red')",
                "color NOT IN ('blue')",
                "color LIKE 'r_d'",
                "quoted LIKE 'it''s 50!%' ESCAPE '!'",
                "quoted LIKE '%s %!%' ESCAPE '!' AND quoted NOT LIKE '%!%_' ESCAPE '!'",
                "missing IS NULL AND color IS NOT NULL",
                "JMSPriority = 7",
                "JMSDeliveryMode = 'PERSISTENT'",
                "-size < 0x10"
            })
    public void wants(String text) {
        assertThat(AmqpSelector.compile(text).matches(message())).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "color = 'blue'",
                "missing = 1",
                "NOT (missing = 1)", // unknown stays unknown
                "missing <> 'x'",
                "color = 42",
                "size = '42'",
                "JMSPriority < 7",
                "JMSType = 'x'",
                "XPATH '//x'",
                "color % 5 = 1", // no number
                "size = -color",
                "loud * 2 = 2"
            })
    public void doesNotWant(String text) {
        assertThat(AmqpSelector.compile(text).matches(message())).isFalse();
    }

    @Test
    public void headersAreAsQpidJmsShowsThem() {
        properties.setMessageId("ID:a-1").setSubject("order").setCreationTime(1_700_000_000_000L);
        properties.setCorrelationId("c").setGroupId("g").setGroupSequence(3);
        properties.setUserId("me".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        assertThat(AmqpSelector.compile("JMSMessageID = 'ID:a-1' AND JMSType = 'order' AND JMSTimestamp = 1700000000000"
                                + " AND JMSCorrelationID = 'c' AND JMSXGroupID = 'g' AND JMSXGroupSeq = 3"
                                + " AND JMSXUserID = 'me'")
                        .matches(message()))
                .isTrue();
        assertThat(messageIdOf("plain")).isEqualTo("ID:AMQP_NO_PREFIX:plain");
        assertThat(messageIdOf(UnsignedLong.valueOf(7))).isEqualTo("ID:AMQP_ULONG:7");
        UUID uuid = UUID.fromString("00000000-0000-0001-0000-000000000002");
        assertThat(messageIdOf(uuid)).isEqualTo("ID:AMQP_UUID:" + uuid);
        assertThat(messageIdOf(new Binary(new byte[] {1, (byte) 0xab}))).isEqualTo("ID:AMQP_BINARY:01AB");
    }

    private String messageIdOf(Object id) {
        properties.setMessageId(id);
        return (String) new SelectedMessage(message())
                .getProperty(org.apache.activemq.artemis.api.core.SimpleString.of("JMSMessageID"));
    }

    @Test
    public void aMessageWithoutSectionsIsWantedByThoseWhoAskForNothingOfIt() {
        Message bare = new Message(TOPIC, 0, 4, 0, 0, new byte[] {0, 0x53, 0x77, 0x40}, 0);
        assertThat(AmqpSelector.compile("color IS NULL AND JMSDeliveryMode = 'NON_PERSISTENT'")
                        .matches(bare))
                .isTrue();
        assertThat(AmqpSelector.compile("color = 'red'").matches(bare)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"color =", "color = 'red", "AND", "size > > 1", "color LIKE 5", "(size = 1"})
    public void whatIsNoSelectorIsRefusedWithItsTextAndPlace(String text) {
        assertThatThrownBy(() -> AmqpSelector.compile(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(text)
                .hasMessageMatching("(?s).*line \\d+, column \\d+.*");
    }

    /** Parser and evaluation go down one call per level, on threads that serve everybody. */
    @Test
    public void oneThatIsNestedWithoutEndHarmsNobody() {
        int levels = 1_000_000;
        assertThatThrownBy(() -> AmqpSelector.compile("(".repeat(levels) + "TRUE" + ")".repeat(levels)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("16384");
        assertThatThrownBy(() -> AmqpSelector.compile("size = " + "1+".repeat(levels) + "1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("16384");
    }

    /** On a thread that serves everybody; with a backtracking matcher none of these ends while anybody lives. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "note LIKE '%a%a%a%a%a%a%b'",
                "note LIKE '%_a%a_%%a%_a%b%'",
                "note LIKE '%a%a%a%a%a%ba%'",
                "missing = 1 OR color = 'blue' OR note LIKE '%a%a%a%a%a%a%b'",
                "color = 'red' AND (size > 1 AND note LIKE '%a%a%a%a%a%a%b')",
                "NOT (note NOT LIKE '%a%a%a%a%a%a%b')",
            })
    @Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    public void aPatternTakesTimeInProportionToTheText(String text) {
        values.put("note", "a".repeat(32_768));
        assertThat(AmqpSelector.compile(text).matches(message())).isFalse();
    }

    /** Against the definition: a % is any text, an _ any character. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    public void patternsMatchWhatTheySay(long seed) {
        Random random = new Random(seed);
        int found = 0;
        for (int i = 0; i < 5_000; i++) {
            String pattern = anyOf("ab%%_.\n", random.nextInt(8), random);
            String note = anyOf("ab.\n", random.nextInt(10), random);
            boolean like = isLike(note, pattern);
            found += like ? 1 : 0;
            values.put("note", note);
            Message message = message();
            assertThat(AmqpSelector.compile("note LIKE '" + pattern + "'").matches(message))
                    .as("%s LIKE %s", note, pattern)
                    .isEqualTo(like);
            assertThat(AmqpSelector.compile("note NOT LIKE '" + pattern + "'").matches(message))
                    .isEqualTo(!like);
        }
        assertThat(found).isBetween(500, 4_500);
    }

    private static String anyOf(String alphabet, int length, Random random) {
        return random.ints(length, 0, alphabet.length())
                .mapToObj(at -> alphabet.substring(at, at + 1))
                .collect(Collectors.joining());
    }

    private static boolean isLike(String text, String pattern) {
        if (pattern.isEmpty()) {
            return text.isEmpty();
        }
        if (pattern.charAt(0) == '%') {
            return isLike(text, pattern.substring(1)) || !text.isEmpty() && isLike(text.substring(1), pattern);
        }
        return !text.isEmpty()
                && (pattern.charAt(0) == '_' || pattern.charAt(0) == text.charAt(0))
                && isLike(text.substring(1), pattern.substring(1));
    }

    @Test
    public void stringsHaveNoOrder() {
        assertThatThrownBy(() -> AmqpSelector.compile("color > 'a'"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("color > 'a'");
    }
}
