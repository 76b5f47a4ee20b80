package io.ringtable.client.internal.encoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.ringtable.client.Message;
import io.ringtable.client.RingtableException;
import io.ringtable.wire.Encoded;
import io.ringtable.wire.Encoding;
import io.ringtable.wire.Poison;
import io.ringtable.wire.Sections;
import java.lang.management.ManagementFactory;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.UnsignedShort;
import org.apache.qpid.protonj2.types.messaging.AmqpSequence;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.MessageAnnotations;
import org.apache.qpid.protonj2.types.messaging.Section;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

class EncodedMessageTest {

    private final MessageEncoder encoder = new MessageEncoder(JsonMapper.shared());

    @Test
    void readsEveryTypeOfPropertyThatCanBeWritten() {
        UUID id = UUID.randomUUID();
        Instant instant = Instant.ofEpochMilli(1_700_000_000_123L);
        Map<String, Object> read = new EncodedMessage(encoder.encode(Message.builder()
                        .property("byte", (byte) -1)
                        .property("short", (short) -2)
                        .property("int", -3)
                        .property("long", -4L)
                        .property("float", 1.5f)
                        .property("double", -2.5)
                        .property("boolean", true)
                        .property("char", 'ß')
                        .property("string", "x".repeat(300))
                        .property("uuid", id)
                        .build()))
                .applicationProperties();
        assertThat(read)
                .containsEntry("byte", (byte) -1)
                .containsEntry("short", (short) -2)
                .containsEntry("int", -3)
                .containsEntry("long", -4L)
                .containsEntry("float", 1.5f)
                .containsEntry("double", -2.5)
                .containsEntry("boolean", true)
                .containsEntry("char", 'ß')
                .containsEntry("string", "x".repeat(300))
                .containsEntry("uuid", id);
        Map<String, Object> more = new EncodedMessage(encoder.encode(Message.builder()
                        .property("at", instant)
                        .property("bytes", new byte[] {1, 2})
                        .property("nothing", null)
                        .build()))
                .applicationProperties();
        assertThat(more).containsEntry("at", instant.toEpochMilli()).containsEntry("nothing", null);
        assertThat(more.get("bytes")).isEqualTo(new byte[] {1, 2});
    }

    @Test
    void showsTypesThatJavaDoesNotHaveAsTheNextBestThing() {
        EncodedMessage message = encoded(
                new ApplicationProperties(Map.of("big", UnsignedLong.MAX_VALUE)),
                new AmqpValue<>(List.of(
                        UnsignedInteger.valueOf(-1), Symbol.valueOf("s"), Map.of("k", UnsignedShort.valueOf((short)
                                7)))));
        assertThat(message.value()).isEqualTo(List.of(0xFFFF_FFFFL, "s", Map.of("k", 7)));
        assertThat(message.applicationProperties())
                .containsEntry("big", BigInteger.TWO.pow(64).subtract(BigInteger.ONE));
    }

    @Test
    void readsBodiesOfAnyLength() {
        for (int length : new int[] {0, 1, 255, 256, 70_000}) {
            byte[] body = new byte[length];
            new Random(length).nextBytes(body);
            assertThat(new EncodedMessage(encoder.encode(Message.bytes(body))).bytes())
                    .isEqualTo(body);
            String text = "ü".repeat(length);
            assertThat(new EncodedMessage(encoder.encode(Message.text(text))).text())
                    .isEqualTo(text);
        }
    }

    @Test
    void readsSeveralDataSectionsAsOneBody() {
        EncodedMessage message = encoded(new Data(new byte[] {1, 2}), new Data(new byte[] {3}));
        assertThat(message.bytes()).containsExactly(1, 2, 3);
    }

    @Test
    void showsListsMapsAndNumbersOfOtherClientsAsValues() {
        assertThat(encoded(new AmqpValue<>(List.of("a", 1))).value()).isEqualTo(List.of("a", 1));
        assertThat(encoded(new AmqpValue<>(42)).value()).isEqualTo(42);
        assertThat(encoded(new AmqpValue<>(new Binary(new byte[] {7}))).bytes()).containsExactly(7);
        assertThat(encoded(new AmqpSequence<>(List.of("a")), new AmqpSequence<>(List.of("b")))
                        .value())
                .isEqualTo(List.of("a", "b"));
        assertThatThrownBy(() -> encoded(new AmqpValue<>(42)).text())
                .hasMessageContaining("RT-5030")
                .hasMessageContaining("Integer");
    }

    @Test
    void findsItsWayPastAnnotations() {
        EncodedMessage message = encoded(
                new Header().setDeliveryCount(3),
                new MessageAnnotations(Map.of(Symbol.valueOf("x-opt-jms-dest"), (byte) 1)),
                new AmqpValue<>("text"));
        assertThat(message.header().getDeliveryCount()).isEqualTo(3);
        assertThat(message.text()).isEqualTo("text");
    }

    @Test
    void readsDescriptorsInTheirLongAndTheirNamedForm() {
        assertThat(fromHex("00800000000000000075A00161").text()).isEqualTo("a");
        String name = HexFormat.of().formatHex("amqp:data:binary".getBytes(StandardCharsets.US_ASCII));
        assertThat(fromHex("00A310" + name + "A00162").text()).isEqualTo("b");
        assertThat(fromHex("00B300000010" + name + "A00163").text()).isEqualTo("c");
        assertThatThrownBy(() -> fromHex("00B3FFFFFFFF" + name + "A00163")).hasMessageContaining("RT-5030");
    }

    @Test
    void refusesWhatIsNoMessageInsteadOfGuessing() {
        assertThatThrownBy(() -> fromHex("41")).hasMessageContaining("RT-5030");
        assertThatThrownBy(() -> fromHex("005375A0FF01")).hasMessageContaining("RT-5030");
        assertThatThrownBy(() -> fromHex("005375B07FFFFFFF01")).hasMessageContaining("RT-5030");
        assertThatThrownBy(() -> fromHex("005375")).hasMessageContaining("RT-5030");
        assertThatThrownBy(() -> fromHex("00537531")).hasMessageContaining("RT-5030");
    }

    @Test
    void survivesRandomBytesWithNothingButItsOwnError() {
        Random random = new Random(42);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            if (bytes.length > 2) {
                bytes[0] = 0;
                bytes[1] = 0x53;
                bytes[2] = (byte) (0x70 + random.nextInt(9));
            }
            try {
                EncodedMessage message = new EncodedMessage(bytes);
                message.value();
                message.header();
                message.properties();
                message.applicationProperties();
            } catch (RingtableException refused) {
                assertThat(refused.code()).isEqualTo("RT-5030");
            }
        }
    }

    /** Everything that an application may ask of it. */
    private static void readAll(byte[] bytes) {
        EncodedMessage message = new EncodedMessage(bytes);
        message.header();
        message.properties();
        message.applicationProperties();
        message.value();
    }

    private static byte[] body(byte[] value) {
        return new Poison().put(0, 0x53, Sections.VALUE).put(value).bytes();
    }

    private static byte[] sequence(int count, byte[] content) {
        return new Poison()
                .section(Sections.SEQUENCE, Encoding.LIST_32, count, content)
                .bytes();
    }

    static Stream<Arguments> hostileMessages() {
        byte[] nested = Poison.nested(200_000, 0);
        byte[] lying = Poison.nested(6_000, Integer.MAX_VALUE);
        byte[] nullsWithoutEnd = new Poison()
                .compound(0xf0, Integer.MAX_VALUE, new byte[] {Encoding.NULL})
                .bytes();
        byte[] map = new Poison()
                .compound(Encoding.MAP_32, Integer.MAX_VALUE, new byte[] {Encoding.NULL})
                .bytes();
        return Stream.of(
                Arguments.of("a body of lists in lists", body(nested)),
                Arguments.of("a body of lists whose counts lie", body(lying)),
                Arguments.of("a body of described values without end", body(new byte[1_000_000])),
                Arguments.of("sections described without end", new byte[1_000_000]),
                Arguments.of("an array of 2,147,483,647 nulls", body(nullsWithoutEnd)),
                Arguments.of("a map whose count lies", body(map)),
                Arguments.of("a sequence whose count lies", sequence(Integer.MAX_VALUE, new byte[] {Encoding.NULL})),
                Arguments.of("a sequence of lists in lists", sequence(1, nested)),
                Arguments.of("a property of lists in lists", Poison.property(nested)),
                Arguments.of("a property of lists whose counts lie", Poison.property(lying)),
                Arguments.of("a property that is an array of nulls", Poison.property(nullsWithoutEnd)),
                Arguments.of(
                        "a message id of lists in lists",
                        new Poison()
                                .section(Sections.PROPERTIES, Encoding.LIST_32, 1, nested)
                                .put(Poison.body())
                                .bytes()),
                Arguments.of(
                        "a header whose count lies",
                        new Poison()
                                .section(Sections.HEADER, Encoding.LIST_32, 5, new byte[] {Encoding.TRUE})
                                .put(Poison.body())
                                .bytes()),
                Arguments.of(
                        "sections of several kinds",
                        new Poison()
                                .put(sequence(0, new byte[0]))
                                .put(Poison.body())
                                .bytes()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("hostileMessages")
    void refusesWhatWouldCostMoreThanItsBytesBeforeItIsDecoded(String what, byte[] message) {
        assertThatThrownBy(() -> readAll(message)) // classes are loaded
                .isInstanceOfSatisfying(
                        RingtableException.class,
                        refused -> assertThat(refused.code()).isEqualTo("RT-5030"));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 100; i++) {
            assertThatThrownBy(() -> readAll(message)).hasMessageContaining("RT-5030");
        }
        long each = (threads.getCurrentThreadAllocatedBytes() - before) / 100;
        assertThat(each)
                .as("bytes allocated for %s of %d bytes", what, message.length)
                .isLessThan(100_000);
    }

    @Test
    void readsWhatIsWithinTheBounds() {
        Object deepest = new EncodedMessage(body(Poison.nested(32, 0))).value();
        for (int level = 1; level < 32; level++) {
            deepest = ((List<?>) deepest).get(0);
        }
        assertThat(deepest).isEqualTo(Collections.singletonList(null));
        assertThat(new EncodedMessage(Poison.property(Poison.nested(32, 0))).applicationProperties())
                .containsKey("color");
        List<Integer> many = Collections.nCopies(100_000, 7);
        assertThat(encoded(new AmqpValue<>(many)).value()).isEqualTo(many);
        assertThat(encoded(new AmqpValue<>(new int[300_000])).value()).isEqualTo(new int[300_000]);
    }

    @Test
    void survivesPoisonWithNothingButItsOwnError() {
        Random random = new Random(11);
        int read = 0;
        for (int i = 0; i < 5_000; i++) {
            byte[] message = random.nextBoolean() ? Poison.message(random) : body(Poison.value(random, 6));
            try {
                readAll(message);
                read++;
            } catch (RingtableException refused) {
                assertThat(refused.code()).isEqualTo("RT-5030");
            }
        }
        assertThat(read).isGreaterThan(500);
    }

    private static EncodedMessage fromHex(String hex) {
        return new EncodedMessage(HexFormat.of().parseHex(hex));
    }

    private static EncodedMessage encoded(Section<?>... sections) {
        return new EncodedMessage(Encoded.message(sections));
    }
}
