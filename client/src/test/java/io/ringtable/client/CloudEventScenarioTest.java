package io.ringtable.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests events of CNCF's kind through a broker; the acceptance tests have CNCF's own SDK on the other side. */
class CloudEventScenarioTest extends OneBrokerScenario {
    private static final byte[] ORDER = "{\"item\":\"book\",\"count\":2}".getBytes(StandardCharsets.UTF_8);

    private RingtableClient client;
    private Publisher publisher;
    private Receiver receiver;

    @BeforeEach
    void open() {
        client = broker.client().connect();
        publisher = client.publisher("queue://" + address);
        receiver = client.receiver("queue://" + address);
    }

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void carriesEveryAttributeInBothModes() {
        CloudEvent event = CloudEvent.builder()
                .id("4711")
                .source("/shop")
                .type("com.example.order.placed")
                .subject("orders/4711")
                .time(Instant.parse("2026-11-25T10:11:12.123456789Z"))
                .dataSchema(URI.create("https://example.com/order.json"))
                .data("application/json", ORDER)
                .extension("region", "PT")
                .extension("retries", 3)
                .extension("express", true)
                .build();

        ReceivedMessage binary = through(Message.cloudEvent(event));
        ReceivedMessage structured = through(
                Message.builder().structuredCloudEvent(event).priority(7).build());

        assertSame(binary.cloudEvent().orElseThrow(), event);
        assertSame(structured.cloudEvent().orElseThrow(), event);
        assertThat(binary.contentType()).contains("application/json");
        assertThat(binary.text()).isEqualTo(new String(ORDER, StandardCharsets.UTF_8));
        assertThat(binary.property("cloudEvents:type")).isEqualTo("com.example.order.placed");
        assertThat(binary.property("cloudEvents:retries")).isEqualTo(3L);
        assertThat(structured.contentType()).contains("application/cloudevents+json; charset=utf-8");
        assertThat(structured.properties()).isEmpty();
        assertThat(structured.text()).contains("\"data\":{\"item\":\"book\",\"count\":2}");
        assertThat(structured.priority()).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain; charset=utf-8", "application/octet-stream"})
    void carriesDataThatIsNoJson(String contentType) {
        byte[] data = {0, (byte) 0xff, 10};
        CloudEvent event = CloudEvent.builder()
                .source("/s")
                .type("t")
                .data(contentType, data)
                .build();

        for (Message message : new Message[] {
            Message.cloudEvent(event),
            Message.builder().structuredCloudEvent(event).build()
        }) {
            CloudEvent read = through(message).cloudEvent().orElseThrow();
            assertThat(read.data().orElseThrow()).isEqualTo(data);
            assertThat(read.dataContentType()).contains(contentType);
        }
    }

    @Test
    void carriesAnEventWithoutData() {
        CloudEvent event = CloudEvent.builder().source("/s").type("t").build();

        assertThat(through(Message.cloudEvent(event)).cloudEvent().orElseThrow().data())
                .isEmpty();
        assertThat(through(Message.builder().structuredCloudEvent(event).build())
                        .cloudEvent()
                        .orElseThrow()
                        .data())
                .isEmpty();
    }

    /** Clients of JMS can have no colon in a name; ms and 64 bits are AMQP's own forms. */
    @Test
    void readsTheOtherFormsThatTheBindingAllows() {
        CloudEvent read = through(Message.builder()
                        .text("hello")
                        .contentType("text/plain")
                        .property("cloudEvents_specversion", "1.0")
                        .property("cloudEvents_id", "1")
                        .property("cloudEvents_source", "/s")
                        .property("cloudEvents_type", "t")
                        .property("cloudEvents_time", Instant.ofEpochMilli(1_700_000_000_123L))
                        .property("cloudEvents_due", Instant.ofEpochMilli(1_800_000_000_000L))
                        .property("cloudEvents_retries", 3L)
                        .property("cloudEvents_ratio", 0.5)
                        .property("other", "no attribute")
                        .build())
                .cloudEvent()
                .orElseThrow();

        assertThat(read.time()).contains(Instant.ofEpochMilli(1_700_000_000_123L));
        assertThat(read.extensions())
                .isEqualTo(Map.of("due", Instant.ofEpochMilli(1_800_000_000_000L), "retries", 3, "ratio", "0.5"));
        assertThat(read.data().orElseThrow()).isEqualTo("hello".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aPlainMessageIsNoEvent() {
        assertThat(through(Message.json(Map.of("specversion", "1.0"))).cloudEvent())
                .isEqualTo(Optional.empty());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "[]",
                "{\"specversion\":\"0.3\",\"id\":\"1\",\"source\":\"/s\",\"type\":\"t\"}",
                "{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"/s\"}",
                "{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"/s\",\"type\":\"t\",\"time\":\"noon\"}",
                "{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"/s\",\"type\":\"t\",\"data_base64\":\"%\"}",
            })
    void whatSaysThatItIsAnEventAndIsNoneIsRefused(String json) {
        ReceivedMessage message = through(Message.builder()
                .text(json)
                .contentType("application/cloudevents+json")
                .build());

        assertThatThrownBy(message::cloudEvent)
                .isInstanceOf(RingtableException.class)
                .hasMessageStartingWith("RT-5030 body cannot be read: it is no CloudEvent (");
    }

    @Test
    void anotherFormatThanJsonIsRefused() {
        ReceivedMessage message = through(Message.builder()
                .bytes(new byte[] {1})
                .contentType("application/cloudevents+avro")
                .build());

        assertThatThrownBy(message::cloudEvent)
                .hasMessageContaining("RT-5030")
                .hasMessageContaining("application/cloudevents+avro");
    }

    @Test
    void whatIsNoEventCannotBeBuilt() {
        CloudEvent.Builder event = CloudEvent.builder().source("/s");
        CloudEvent noJson = CloudEvent.builder()
                .source("/s")
                .type("t")
                .data("application/json", new byte[] {'{'})
                .build();

        assertThatThrownBy(event::build).hasMessageContaining("RT-5014").hasMessageContaining("'type'");
        assertThatThrownBy(() -> event.extension("Region", "PT")).hasMessageContaining("'Region'");
        assertThatThrownBy(() -> event.extension("time", "PT")).hasMessageContaining("'time'");
        assertThatThrownBy(() -> event.extension("ratio", 0.5)).hasMessageContaining("java.lang.Double");
        assertThatThrownBy(() -> Message.builder().structuredCloudEvent(noJson))
                .hasMessageContaining("RT-5014")
                .hasMessageContaining("no JSON");
    }

    private ReceivedMessage through(Message message) {
        publisher.publishAndWait(message);
        ReceivedMessage received = take(receiver);
        received.acknowledge();
        return received;
    }

    private static void assertSame(CloudEvent read, CloudEvent written) {
        assertThat(read).usingRecursiveComparison().isEqualTo(written);
    }
}
