package io.ringtable.broker.amqp.encoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.trace.StepRecorder;
import io.ringtable.wire.Encoded;
import io.ringtable.wire.MalformedMessage;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.AmqpSequence;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.DeliveryAnnotations;
import org.apache.qpid.protonj2.types.messaging.Footer;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.MessageAnnotations;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Section;
import org.junit.jupiter.api.Test;

public class MessageFactsTest {
    private final MessageFacts facts = new MessageFacts(MessageTraces.OFF);

    private static final Section<?>[] EVERYTHING = {
        new Header().setDurable(true).setPriority((byte) 7).setTimeToLive(60_000),
        new DeliveryAnnotations(Map.of(Symbol.valueOf("hop"), "one")),
        new MessageAnnotations(Map.of(
                Symbol.valueOf("x-opt-delivery-time"),
                1_700_000_000_000L,
                Symbol.valueOf("x-opt-jms-dest"),
                (byte) 1,
                Symbol.valueOf("other"),
                List.of(1, 2, 3))),
        new Properties().setMessageId("id").setTo("prices").setAbsoluteExpiryTime(1_800_000_000_000L),
        new ApplicationProperties(Map.of("color", "red")),
        new Data(new byte[300]),
        new Data(new byte[3]),
        new Footer(Map.of(Symbol.valueOf("sum"), 42L))
    };

    private MessageFacts read(byte[] bytes) throws MalformedMessage {
        return facts.read(bytes, 0, bytes.length);
    }

    @Test
    public void readsWhatTheBrokerActsOnFromEverySection() throws Exception {
        read(Encoded.message(EVERYTHING));
        assertThat(facts.durable).isTrue();
        assertThat(facts.priority).isEqualTo(7);
        assertThat(facts.ttlMs).isEqualTo(60_000);
        assertThat(facts.expiresAt(1_000)).isEqualTo(61_000);
        assertThat(facts.deliveryTime).isEqualTo(1_700_000_000_000L);
        assertThat(facts.jmsDestination).isEqualTo(1);
        assertThat(facts.to).isEqualTo("prices");
        assertThat(facts.absoluteExpiry).isEqualTo(1_800_000_000_000L);
    }

    @Test
    public void findsTheTraceOfASampledMessageInItsPropertiesOrElseInItsAnnotations() throws Exception {
        MessageAnnotations annotations =
                new MessageAnnotations(Map.of(Symbol.valueOf("traceparent"), trace('a', "01")));
        ApplicationProperties properties = new ApplicationProperties(Map.of("traceparent", trace('b', "01")));
        Data body = new Data(new byte[3]);

        assertThat(traceOf(Encoded.message(annotations, body))).isEqualTo(trace('a', "01"));
        assertThat(traceOf(Encoded.message(properties, body))).isEqualTo(trace('b', "01"));
        assertThat(traceOf(Encoded.message(annotations, properties, body))).isEqualTo(trace('b', "01"));
    }

    @Test
    public void leavesAMessageAloneWhoseTraceNobodyRecords() throws Exception {
        ApplicationProperties sampled = new ApplicationProperties(Map.of("traceparent", trace('b', "01")));
        byte[] bytes = Encoded.message(sampled, new Data(new byte[3]));

        assertThat(traceOf(Encoded.message(new ApplicationProperties(Map.of("traceparent", trace('b', "00"))))))
                .isNull();
        assertThat(traceOf(Encoded.message(new ApplicationProperties(Map.of("traceparent", 1L)))))
                .isNull();
        assertThat(traceOf(Encoded.message(new ApplicationProperties(Map.of("tracestate", trace('b', "01"))))))
                .isNull();
        assertThat(read(bytes).traceAt()).as("where tracing is off").isZero();
    }

    private static String trace(char digit, String flags) {
        return "00-" + String.valueOf(digit).repeat(32) + "-"
                + String.valueOf(digit).repeat(16) + "-" + flags;
    }

    private static String traceOf(byte[] bytes) throws MalformedMessage {
        int at = new MessageFacts(new StepRecorder())
                .read(bytes, 0, bytes.length)
                .traceAt();
        return at == 0 ? null : new String(bytes, at, 55, StandardCharsets.US_ASCII);
    }

    @Test
    public void forgetsTheMessageBefore() throws Exception {
        read(Encoded.message(EVERYTHING));
        read(Encoded.message(new AmqpValue<>("plain")));
        assertThat(facts.durable).isFalse();
        assertThat(facts.priority).isEqualTo(4);
        assertThat(facts.expiresAt(1_000)).isZero();
        assertThat(facts.deliveryTime).isZero();
        assertThat(facts.jmsDestination).isEqualTo(MessageFacts.JMS_DESTINATION_NONE);
        assertThat(facts.to).isNull();
    }

    @Test
    public void readsADuplicateIdFromThePropertyOrElseFromTheAnnotation() throws Exception {
        Symbol annotation = Symbol.valueOf("_AMQ_DUPL_ID");
        ApplicationProperties property =
                new ApplicationProperties(Map.of("before", 1, "_AMQ_DUPL_ID", "Bestellung-ä", "behind", true));
        read(Encoded.message(new MessageAnnotations(Map.of(annotation, "annotated")), property));
        assertThat(facts.duplicateId).isEqualTo(id("Bestellung-ä"));
        read(Encoded.message(new MessageAnnotations(Map.of(annotation, "annotated")), new AmqpValue<>("x")));
        assertThat(facts.duplicateId).isEqualTo(id("annotated"));
        read(Encoded.message(new ApplicationProperties(Map.of("_AMQ_DUPL_ID", new Binary(new byte[] {0, -1})))));
        assertThat(facts.duplicateId).isEqualTo(new DuplicateId(new byte[] {0, -1}));
        read(Encoded.message(new ApplicationProperties(Map.of("_AMQ_DUPL_ID", "x".repeat(400)))));
        assertThat(facts.duplicateId).isEqualTo(id("x".repeat(400)));
        read(Encoded.message(new ApplicationProperties(Map.of("_AMQ_DUPL_IDS", "no id"))));
        assertThat(facts.duplicateId).isNull();
    }

    @Test
    public void refusesADuplicateIdThatIsNone() {
        for (Object id : new Object[] {"", "x".repeat(401), 7, new Binary(new byte[0]), Map.of(), true}) {
            assertThatThrownBy(() -> read(Encoded.message(new ApplicationProperties(Map.of("_AMQ_DUPL_ID", id)))))
                    .isInstanceOf(MalformedMessage.class)
                    .hasMessageContaining("_AMQ_DUPL_ID");
        }
    }

    @Test
    public void theMessagesOwnIdIsOfItsTypeAndCountsWhereNoOtherIsGiven() throws Exception {
        Set<DuplicateId> different = new HashSet<>();
        for (Object id : List.of(
                "1",
                "x".repeat(398),
                "x".repeat(300),
                UnsignedLong.valueOf(1),
                UnsignedLong.valueOf(0),
                UnsignedLong.valueOf(-1L),
                new Binary(new byte[] {'1'}),
                new Binary(new byte[] {0, 0, 0, 0, 0, 0, 0, 1}),
                new Binary(new byte[398]),
                new UUID(0, 1),
                new UUID(1, 0))) {
            byte[] message = Encoded.message(new Properties().setMessageId(id).setTo("prices"));
            DuplicateId read = read(message).duplicateIdOrMessageId(message);
            assertThat(facts.duplicateId).isNull();
            assertThat(read(message).duplicateIdOrMessageId(message)).isEqualTo(read);
            assertThat(different.add(read)).as("%s is another", id).isTrue();
            byte[] given = Encoded.message(
                    new Properties().setMessageId(id), new ApplicationProperties(Map.of("_AMQ_DUPL_ID", "given")));
            assertThat(read(given).duplicateIdOrMessageId(given)).isEqualTo(id("given"));
        }
        assertThat(different).doesNotContain(id("1"));
        byte[] large = {0, 0x53, 0x73, (byte) 0xc0, 10, 1, (byte) 0x80, 0, 0, 0, 0, 0, 0, 0, 1};
        byte[] small = {0, 0x53, 0x73, (byte) 0xc0, 3, 1, 0x53, 1};
        assertThat(read(large).duplicateIdOrMessageId(large))
                .isEqualTo(read(small).duplicateIdOrMessageId(small))
                .isIn(different);
        for (byte[] none :
                List.of(Encoded.message(new AmqpValue<>("x")), Encoded.message(new Properties().setTo("x")))) {
            assertThat(read(none).duplicateIdOrMessageId(none)).isNull();
        }
    }

    @Test
    public void refusesAMessagesOwnIdThatCannotBeKept() throws Exception {
        for (Object id : List.of("", "x".repeat(399), new Binary(new byte[0]), new Binary(new byte[399]))) {
            byte[] message = Encoded.message(new Properties().setMessageId(id));
            read(message); // elsewhere it passes
            assertThatThrownBy(() -> facts.duplicateIdOrMessageId(message))
                    .isInstanceOf(MalformedMessage.class)
                    .hasMessageContaining("1 to 398 bytes");
        }
        byte[] symbol = {0, 0x53, 0x73, (byte) 0xc0, 4, 1, (byte) 0xa3, 1, 'x'};
        read(symbol);
        assertThatThrownBy(() -> facts.duplicateIdOrMessageId(symbol)).hasMessageContaining("type 0xa3");
    }

    private static DuplicateId id(String text) {
        return new DuplicateId(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    public void takesBodiesOfEveryKind() throws Exception {
        read(Encoded.message(new AmqpValue<>(null)));
        read(Encoded.message(new AmqpValue<>(Map.of("a", List.of(1, "two", 3.0)))));
        read(Encoded.message(new AmqpSequence<>(List.of(1, 2, 3)), new AmqpSequence<>(List.of())));
        read(Encoded.message(new AmqpValue<>(new String[] {"x", "y"})));
        read(Encoded.message(new Data(new byte[100_000])));
    }

    @Test
    public void longNamesAndManyAnnotationsAreReadToo() throws Exception {
        String name = "n".repeat(300);
        Map<Symbol, Object> annotations = new HashMap<>();
        for (int i = 0; i < 100; i++) {
            annotations.put(Symbol.valueOf("annotation-" + i), "value " + i);
        }
        annotations.put(Symbol.valueOf("x-opt-jms-dest"), (byte) 0);
        read(Encoded.message(new MessageAnnotations(annotations), new Properties().setTo(name)));
        assertThat(facts.to).isEqualTo(name);
        assertThat(facts.jmsDestination).isZero();
    }

    @Test
    public void refusesWhatIsNoMessage() {
        assertThatThrownBy(() -> read(new byte[0])).isInstanceOf(MalformedMessage.class);
        assertThatThrownBy(() -> read("hello".getBytes(StandardCharsets.UTF_8))).isInstanceOf(MalformedMessage.class);
        assertThatThrownBy(() -> read(new byte[] {0, 0x53, 0x75, (byte) 0xa0, 10, 1}))
                .isInstanceOf(MalformedMessage.class)
                .hasMessageContaining("passes the end");
        assertThatThrownBy(() -> read(new byte[] {0, 0x53, 0x10, (byte) 0xa0, 0}))
                .hasMessageContaining("unknown section");
        assertThatThrownBy(() -> read(new byte[] {0, 0x53, 0x70, (byte) 0xa0, 0}))
                .hasMessageContaining("has a value of type");
    }

    @Test
    public void everyTruncationIsRefusedAndNothingElseIsThrown() {
        byte[] whole = Encoded.message(EVERYTHING);
        int refused = 0;
        for (int length = 0; length < whole.length; length++) {
            try {
                read(Arrays.copyOf(whole, length));
            } catch (MalformedMessage e) {
                refused++;
            }
        }
        // Cut exactly between two sections it is a message still.
        assertThat(refused).isEqualTo(whole.length - (EVERYTHING.length - 1));
    }

    @Test
    public void randomChangesNeverThrowAnythingElse() {
        Random random = new Random(42);
        byte[] whole = Encoded.message(EVERYTHING);
        for (int i = 0; i < 50_000; i++) {
            byte[] changed = whole.clone();
            for (int n = random.nextInt(4); n >= 0; n--) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            }
            try {
                read(changed);
            } catch (MalformedMessage e) {
                assertThat(e.getMessage()).isNotEmpty();
            }
        }
    }
}
