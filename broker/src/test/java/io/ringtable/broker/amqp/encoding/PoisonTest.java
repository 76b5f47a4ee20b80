package io.ringtable.broker.amqp.encoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.ringtable.broker.amqp.selector.AmqpSelector;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.wire.Encoded;
import io.ringtable.wire.Encoding;
import io.ringtable.wire.MalformedMessage;
import io.ringtable.wire.Poison;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.MessageAnnotations;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the bytes of a message or a selector bound its cost, whatever they say. */
@Timeout(120)
public class PoisonTest {
    private static final Address TOPIC = new Address(1, "t", AddressKind.TOPIC, new AddressQuota(1, 1));
    private static final long MEGABYTE = 1 << 20;

    private final MessageFacts facts = new MessageFacts(MessageTraces.OFF);

    private static Message message(byte[] encoded) {
        return new Message(TOPIC, 0, 4, 0, 0, encoded, 0);
    }

    /** By this thread. */
    private static long allocatedBytes(Runnable action) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        action.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    // ---- what is stored already

    @Test
    public void whatIsNestedInAPropertyCostsASelectorNothing() {
        Selector selector = AmqpSelector.compile("color = 'red' OR size > 1 OR JMSType = 'x'");
        selector.matches(message(Encoded.text("first use"))); // classes are loaded
        byte[] lies = Poison.property(Poison.nested(500, Integer.MAX_VALUE));
        long bytes = allocatedBytes(() -> {
            boolean matches = false;
            for (int i = 0; i < 100; i++) {
                matches |= selector.matches(message(lies));
            }
            if (matches) {
                throw new AssertionError("it matches");
            }
        });
        assertThat(bytes)
                .as("allocated for 100 messages of %d bytes", lies.length)
                .isLessThan(MEGABYTE);
        assertThat(selector.matches(message(Poison.property(Poison.nested(200_000, 0)))))
                .isFalse();
        assertThat(AmqpSelector.compile("color IS NOT NULL").matches(message(lies)))
                .isTrue();
    }

    @Test
    public void aMessageIsReadOnceForAllSelectorsThatItMeets() {
        Map<String, Object> values = new HashMap<>();
        for (int i = 0; i < 3_900; i++) {
            values.put("property" + i, "v".repeat(100) + i);
        }
        Message message = message(Encoded.message(new ApplicationProperties(values), new AmqpValue<>("x")));
        assertThat(message.bytes()).isBetween(400_000, 550_000);
        List<Selector> selectors = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            selectors.add(
                    AmqpSelector.compile("property7 = '" + "v".repeat(100) + "7' AND property3899 <> '" + i + "'"));
        }
        selectors.get(0).matches(message(Encoded.text("first use")));
        long bytes = allocatedBytes(() -> selectors.forEach(
                selector -> assertThat(selector.matches(message)).isTrue()));
        assertThat(bytes).as("allocated for 200 selectors").isLessThan(2 * MEGABYTE);
    }

    // ---- at the border

    private void isRefused(byte[] message, String... texts) {
        assertThatThrownBy(() -> facts.read(message, 0, message.length))
                .isInstanceOf(MalformedMessage.class)
                .hasMessageContainingAll(texts);
    }

    @Test
    public void whatWouldCostMoreThanItsBytesIsRefused() {
        isRefused(Poison.property(Poison.nested(33, 0)), "nested deeper than 32");
        isRefused(Poison.property(Poison.nested(30, Integer.MAX_VALUE)), "ends at byte");
        isRefused(
                Poison.property(new Poison()
                        .put(0xf0)
                        .int32(5)
                        .int32(Integer.MAX_VALUE)
                        .put(0x43)
                        .bytes()),
                "values");
        isRefused(Poison.property(new Poison().put(0xd0).int32(4).int32(-1).bytes()), "elements");
        isRefused(Poison.property(new Poison().put(0xc1, 2, 1, 0x40).bytes()), "elements");
        for (int count : new int[] {0, 1, 3, 4, -1, Integer.MIN_VALUE, 9_000}) {
            isRefused(
                    new Poison()
                            .section(
                                    0x74,
                                    0xd1,
                                    count,
                                    new Poison().text("a").put(0x40).bytes())
                            .put(Poison.body())
                            .bytes(),
                    "");
        }
    }

    @Test
    public void whatIsTooMuchIsRefused() {
        Map<String, Object> many = new HashMap<>();
        Map<Symbol, Object> annotations = new HashMap<>();
        for (int i = 0; i < 4_097; i++) {
            many.put("p" + i, i);
            annotations.put(Symbol.valueOf("a" + i), i);
        }
        isRefused(Encoded.message(new ApplicationProperties(many)), "4096");
        isRefused(Encoded.message(new MessageAnnotations(annotations)), "4096");
        isRefused(Encoded.message(new ApplicationProperties(Map.of("p", "x".repeat(1 << 20)))), "1048576");
        isRefused(Encoded.message(new Properties().setSubject("x".repeat(1 << 20))), "1048576");
    }

    @Test
    public void whatIsOfUseToSomebodyPasses() throws Exception {
        Map<String, Object> values = new HashMap<>();
        for (int i = 0; i < 4_096; i++) {
            values.put("p" + i, i);
        }
        byte[] many = Encoded.message(new ApplicationProperties(values), new AmqpValue<>("x"));
        facts.read(many, 0, many.length);
        byte[] nested = Poison.property(Poison.nested(31, 0));
        facts.read(nested, 0, nested.length);
        byte[] arrays = Encoded.message(new MessageAnnotations(Map.of(
                Symbol.valueOf("a"),
                new String[] {"x", "y"},
                Symbol.valueOf("b"),
                new int[][] {{1}, {2, 3}},
                Symbol.valueOf("c"),
                Map.of("k", List.of(1, Map.of())),
                Symbol.valueOf("d"),
                List.of())));
        facts.read(arrays, 0, arrays.length);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "40 51 ff", // priority: a byte, -1
                "40 55 ff", // a long
                "40 81 ff ff ff ff ff ff ff ff",
                "40 70 00 00 00 04", // a uint
                "50 01", // durable: a ubyte
                "40 40 81 7f ff ff ff ff ff ff ff", // ttl: a long
                "40 40 54 ff",
                "40 40 40 40 51 ff", // delivery-count
                "40 40 40 40 40 40" // more fields than there are
            })
    public void aHeaderThatNoClientCanReadIsRefused(String fields) {
        Poison list = new Poison();
        String[] bytes = fields.split(" ");
        for (String b : bytes) {
            list.put(Integer.parseInt(b, 16));
        }
        int count = 0;
        byte[] content = list.bytes();
        try {
            for (int at = 0; at < content.length; count++) {
                at = Encoding.skip(content, at, content.length);
            }
        } catch (MalformedMessage e) {
            throw new AssertionError(e);
        }
        isRefused(
                new Poison()
                        .section(0x70, 0xd0, count, content)
                        .put(Poison.body())
                        .bytes(),
                "");
    }

    @Test
    public void prioritiesAndTimesAreWithinWhatEveryStoreHas() throws Exception {
        long lastMs = 253_402_300_799_999L;
        for (int priority = 0; priority < 256; priority++) {
            byte[] message = new Poison()
                    .section(
                            0x70,
                            0xd0,
                            2,
                            new Poison().put(0x40, 0x50, priority).bytes())
                    .put(Poison.body())
                    .bytes();
            assertThat(facts.read(message, 0, message.length).priority).isEqualTo(Math.min(9, priority));
        }
        for (long time : new long[] {Long.MIN_VALUE, -1, 0, 1, lastMs, lastMs + 1, Long.MAX_VALUE}) {
            byte[] message = Encoded.message(
                    new MessageAnnotations(Map.of(Symbol.valueOf("x-opt-delivery-time"), time)),
                    new Properties().setAbsoluteExpiryTime(time),
                    new AmqpValue<>("x"));
            facts.read(message, 0, message.length);
            assertThat(facts.deliveryTime).isEqualTo(Math.max(0, Math.min(lastMs, time)));
            assertThat(facts.absoluteExpiry).isEqualTo(Math.max(0, Math.min(lastMs, time)));
        }
    }

    // ---- selectors

    private static void isRefusedAsSelector(String text, String why) {
        assertThatThrownBy(() -> AmqpSelector.compile(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @Test
    public void selectorsAreBoundedHoweverMuchStackThereIs() throws Exception {
        Thread roomy = new Thread(
                null,
                () -> {
                    isRefusedAsSelector("(".repeat(8_188) + "a" + ")".repeat(8_188), "nested too deeply");
                    isRefusedAsSelector("(".repeat(129) + "a" + ")".repeat(129), "nested too deeply");
                    isRefusedAsSelector("NOT ".repeat(129) + "a", "nested too deeply");
                    isRefusedAsSelector("a = " + "- ".repeat(129) + "1", "nested too deeply");
                    isRefusedAsSelector("(NOT ".repeat(65) + "a" + ")".repeat(65), "nested too deeply");
                    isRefusedAsSelector("a = " + "1+".repeat(200) + "1", "nested too deeply");
                    isRefusedAsSelector("a=1 OR ".repeat(342) + "a=1", "more than 1024");
                    isRefusedAsSelector("a = '" + "x".repeat(17_000) + "'", "16384");
                    isRefusedAsSelector("a = '\u0000'", "position 5");
                    isRefusedAsSelector("a = '\ud83d'", "position 5");
                },
                "roomy",
                1L << 29);
        List<Throwable> failures = new ArrayList<>();
        roomy.setUncaughtExceptionHandler((thread, failure) -> failures.add(failure));
        roomy.start();
        roomy.join();
        assertThat(failures).isEmpty();
    }

    @Test
    public void selectorsThatAreOfUsePass() {
        AmqpSelector.compile("(".repeat(128) + "a" + ")".repeat(128));
        AmqpSelector.compile("a=1 OR ".repeat(250) + "a=1");
        AmqpSelector.compile("a IN ('" + "x', '".repeat(3_000) + "')");
        AmqpSelector.compile("a = '((((' AND b LIKE '" + "(".repeat(500) + "' AND c = '\ud83d\ude00'");
        AmqpSelector.compile("a = 1 /* ((((( ' */ AND -- (((( '\n b = 2");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    public void noSelectorAndNoMessageThrowsAnythingElse(long seed) {
        Random random = new Random(seed);
        String[] words = {
            "a",
            "color",
            "size",
            "JMSType",
            "JMSMessageID",
            "JMSXGroupSeq",
            "JMSTimestamp",
            "(",
            ")",
            "((",
            "NOT",
            "AND",
            "OR",
            "=",
            "<>",
            "<",
            ">=",
            "+",
            "-",
            "*",
            "/",
            "%",
            "LIKE",
            "'%a_'",
            "'x'",
            "ESCAPE '!'",
            "IN ('a','b')",
            "IS NULL",
            "BETWEEN 1 AND 2",
            "9223372036854775807",
            "1e400",
            "0xff",
            "'",
            "--",
            "/*",
            "*/",
            "\u0000",
            "XPATH '//a'",
            "TRUE",
            "hyphenated_props:",
            "convert_string_expressions:"
        };
        Selector known = AmqpSelector.compile("color = 'x' OR size > 2 OR JMSCorrelationID = 'y' OR JMSXUserID = 'z'");
        int compiled = 0;
        int read = 0;
        for (int i = 0; i < 3_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int n = 1 + random.nextInt(8); n > 0; n--) {
                text.append(words[random.nextInt(words.length)]).append(' ');
            }
            byte[] encoded = Poison.message(random);
            try {
                facts.read(encoded, 0, encoded.length);
                read++;
            } catch (MalformedMessage e) {
                assertThat(e.getMessage()).isNotEmpty();
            }
            try {
                Selector selector = AmqpSelector.compile(text.toString());
                compiled++;
                selector.matches(message(encoded)); // those that are refused may have been stored by an earlier version
            } catch (IllegalArgumentException e) {
                assertThat(e.getMessage()).as("seed %d, %d: %s", seed, i, text).isNotEmpty();
            }
            known.matches(message(encoded));
        }
        assertThat(compiled).as("seed %d: selectors that are some", seed).isGreaterThan(30);
        assertThat(read).as("seed %d: messages that pass", seed).isGreaterThan(300);
    }
}
