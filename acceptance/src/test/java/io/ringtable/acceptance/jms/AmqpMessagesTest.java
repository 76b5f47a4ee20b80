package io.ringtable.acceptance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.AmqpFrames;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.RawAmqp;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Date;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.AmqpSequence;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.DeliveryAnnotations;
import org.apache.qpid.protonj2.types.messaging.Footer;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.MessageAnnotations;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Section;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.junit.jupiter.api.Test;

/** Checks that messages of clients in other languages pass through byte for byte (AMQP 1.0 section 3.2). */
class AmqpMessagesTest extends OnEachEngine {
    private static final int MESSAGE_MAX = 16 * 1024 * 1024; // amqp.max-message-size

    private static final AmqpFrames FRAMES = new AmqpFrames();

    AmqpMessagesTest(Engine engine) {
        super(engine);
    }

    @Test
    void everySectionAndEveryEncodingPassesThrough() {
        List<byte[]> messages = messages();
        arePublished("sections", messages);
        areReceived("sections", messages);
    }

    @Test
    void soTheyDoAfterAKillOfTheBroker() {
        List<byte[]> messages = messages();
        // After a crash the very first message of a ring may come flagged although nobody has seen it.
        arePublished("together.the-very-first", List.of(section(new Data(new byte[1]))));
        arePublished("together.sections-after-a-kill", messages);
        broker().kill();
        startAgain();
        areReceived("together.sections-after-a-kill", messages);
    }

    @Test
    void aRedeliveryChangesTheHeaderAndNothingElse() {
        byte[] rest = join(
                deliveryAnnotations(), messageAnnotations(), properties(), applicationProperties(), everyEncoding());
        arePublished("again", List.of(join(header(), rest), rest));
        try (RawAmqp lost = raw("lost")) {
            lost.attachReceiver(0, "again", 2);
            lost.receive();
            lost.receive();
        }
        try (RawAmqp client = raw("again")) {
            client.attachReceiver(0, "again", 2);
            for (int i = 0; i < 2; i++) {
                RawAmqp.Received again = client.receive();
                assertThat(again.message()).endsWith(rest).startsWith(hex("005370"));
                byte[] header = Arrays.copyOf(again.message(), again.message().length - rest.length);
                assertThat(header).as("a delivery-count of 1").endsWith(hex("7000000001"));
                client.accept(again);
            }
        }
    }

    @Test
    void theLargestPassesAndOneByteMoreDoesNot() {
        int overhead = section(new Data(new byte[70_000])).length - 70_000;
        byte[] largest = section(new Data(new byte[MESSAGE_MAX - overhead]));
        assertThat(largest).hasSize(MESSAGE_MAX);
        try (RawAmqp client = raw("largest")) {
            client.attachSender(0, "largest");
            client.transfer(0, 0, section(new Data(new byte[MESSAGE_MAX - overhead + 1])));
            Disposition refused = client.expect(Disposition.class);
            assertThat(refused.getState()).isInstanceOf(Rejected.class);
            assertThat(((Rejected) refused.getState()).getError().getDescription())
                    .startsWith("RT-4044");
            client.transfer(0, 1, largest);
            assertThat(client.expect(Disposition.class).getState()).isInstanceOf(Accepted.class);
        }
        areReceived("largest", List.of(largest));
    }

    private RawAmqp raw(String container) {
        return RawAmqp.socket(broker().amqpPort()).open(container);
    }

    private void arePublished(String queue, List<byte[]> messages) {
        try (RawAmqp client = raw("publisher")) {
            client.attachSender(0, queue);
            for (int i = 0; i < messages.size(); i++) {
                client.transfer(0, i, messages.get(i));
                assertThat(client.expect(Disposition.class).getState())
                        .as("message %d", i)
                        .isInstanceOf(Accepted.class);
            }
        }
    }

    private void areReceived(String queue, List<byte[]> messages) {
        try (RawAmqp client = raw("consumer")) {
            client.attachReceiver(0, queue, messages.size());
            for (int i = 0; i < messages.size(); i++) {
                RawAmqp.Received received = client.receive();
                assertThat(Arrays.equals(received.message(), messages.get(i)))
                        .as("message %d of %d bytes, received %d", i, messages.get(i).length, received.message().length)
                        .isTrue();
                client.accept(received);
            }
        }
    }

    // ---- messages

    private static List<byte[]> messages() {
        byte[] head =
                join(header(), deliveryAnnotations(), messageAnnotations(), properties(), applicationProperties());
        byte[] footer = section(new Footer(Map.of(Symbol.valueOf("x-crc"), 42L)));
        return List.of(
                section(new Data(new byte[0])),
                section(new AmqpValue<>(null)),
                section(new AmqpSequence<>(List.of())),
                join(head, section(new Data(new byte[] {1, 2, 3})), footer),
                join(section(new Data(new byte[300])), section(new Data(new byte[0])), section(new Data(new byte[9]))),
                join(
                        properties(),
                        section(new AmqpSequence<>(List.of(1, "two", 3.0))),
                        section(new AmqpSequence<>(List.of(Map.of("four", 4))))),
                join(head, section(new AmqpValue<>(Map.of("key", List.of("a", "b")))), footer),
                join(head, everyEncoding(), footer),
                join(inOtherEncodings(), section(new Data(new byte[] {7}))),
                join(head, section(new Data(new byte[1_000_003])), section(new Data(new byte[500_000])), footer));
    }

    private static byte[] header() {
        return section(new Header().setDurable(true).setPriority((byte) 4).setTimeToLive(3_600_000));
    }

    private static byte[] deliveryAnnotations() {
        return section(new DeliveryAnnotations(Map.of(Symbol.valueOf("x-opt-hop"), "one")));
    }

    private static byte[] messageAnnotations() {
        Map<Symbol, Object> annotations = new LinkedHashMap<>();
        annotations.put(Symbol.valueOf("x-opt-list"), List.of(1, 2, 3));
        annotations.put(Symbol.valueOf("x-opt-map"), Map.of("k", "v"));
        annotations.put(Symbol.valueOf("other"), UnsignedLong.valueOf(-1L));
        return section(new MessageAnnotations(annotations));
    }

    private static byte[] properties() {
        return section(new Properties()
                .setMessageId(new UUID(1, 2))
                .setUserId(new byte[] {0, -1})
                .setTo("queue://elsewhere")
                .setSubject("subject")
                .setReplyTo("reply")
                .setCorrelationId(UnsignedLong.valueOf(-1L))
                .setContentType("application/x-ours")
                .setContentEncoding("gzip")
                .setAbsoluteExpiryTime(4_102_444_800_000L)
                .setCreationTime(1)
                .setGroupId("group")
                .setGroupSequence(4_294_967_295L)
                .setReplyToGroupId("reply group"));
    }

    private static byte[] applicationProperties() {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("null", null);
        properties.put("boolean", true);
        properties.put("long", Long.MIN_VALUE);
        properties.put("double", Double.NaN);
        properties.put("char", 'c');
        properties.put("time", new Date(0));
        properties.put("uuid", new UUID(3, 4));
        properties.put("binary", new Binary(new byte[] {1, 0}));
        properties.put("symbol", Symbol.valueOf("symbol"));
        properties.put("string", Body.TEXT);
        return section(new ApplicationProperties(properties));
    }

    /** A value of every constructor there is (AMQP 1.0 section 1.6), in a list. */
    private static byte[] everyEncoding() {
        String[] values = {
            "40",
            "41",
            "42",
            "5601",
            "50ff",
            "60ffff",
            "43",
            "52ff",
            "70ffffffff",
            "44",
            "53ff",
            "80ffffffffffffffff",
            "5180",
            "618000",
            "5480",
            "7180000000",
            "5580",
            "818000000000000000",
            "727fc00001",
            "827ff8000000000001",
            "74ffffffff",
            "84ffffffffffffffff",
            "94ffffffffffffffffffffffffffffffff",
            "730001f600",
            "830000000000000001",
            "98000102030405060708090a0b0c0d0e0f",
            "a0020001",
            "b00000000100",
            "a102c39f",
            "b10000000178",
            "a30161",
            "b30000000161",
            "45",
            "c0020140",
            "d0000000050000000140",
            "c103024041",
            "d100000006000000024041",
            "e00402500102",
            "f000000006000000015007",
            "00a303612e62a1017a"
        };
        byte[][] encoded = Arrays.stream(values).map(AmqpMessagesTest::hex).toArray(byte[][]::new);
        return join(hex("005377"), list(encoded));
    }

    /** Returns valid sections that no library writes: named by a long code or by a symbol, in long lists. */
    private static byte[] inOtherEncodings() {
        byte[] name = "amqp:properties:list".getBytes(StandardCharsets.US_ASCII);
        return join(
                hex("00800000000000000070"),
                list(hex("41"), hex("5004"), hex("40")), // durable, priority 4, no ttl
                new byte[] {0, (byte) 0xa3, (byte) name.length},
                name,
                list(hex("40"), hex("40"), hex("a10178"))); // to is x
    }

    private static byte[] list(byte[]... values) {
        byte[] all = join(values);
        return ByteBuffer.allocate(9 + all.length)
                .put((byte) 0xd0)
                .putInt(4 + all.length)
                .putInt(values.length)
                .put(all)
                .array();
    }

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }

    private static byte[] section(Section<?> section) {
        return FRAMES.section(section);
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            joined.writeBytes(part);
        }
        return joined.toByteArray();
    }
}
