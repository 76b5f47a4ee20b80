package io.ringtable.acceptance.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudevents.amqp.ProtonAmqpMessageFactory;
import io.cloudevents.core.message.Encoding;
import io.cloudevents.core.v1.CloudEventBuilder;
import io.cloudevents.jackson.JsonFormat;
import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.client.CloudEvent;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.Date;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.client.Client;
import org.apache.qpid.protonj2.client.Connection;
import org.apache.qpid.protonj2.client.Delivery;
import org.apache.qpid.protonj2.client.StreamSenderMessage;
import org.apache.qpid.protonj2.client.exceptions.ClientException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Events between the SDK and CNCF's Java SDK, through a broker, as bytes of AMQP messages. */
class CloudEventsTest {
    private static final int SOON_S = 60;
    private static final byte[] DATA = "{\"item\":\"book\"}".getBytes(StandardCharsets.UTF_8);

    @RegisterExtension
    static final Bench bench = new Bench();

    private final String queue = "events-" + UUID.randomUUID();
    private String url;
    private RingtableClient ringtable;
    private Client proton;
    private Connection connection;

    @BeforeEach
    void connect() throws ClientException {
        var broker = bench.sharedBroker(Engine.any(), BrokerSettings::usual);
        url = broker.amqpUrl();
        ringtable = RingtableClient.connect(url);
        proton = Client.create();
        connection = proton.connect("127.0.0.1", broker.amqpPort());
    }

    @AfterEach
    void close() {
        proton.close();
        ringtable.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = Encoding.class,
            names = {"BINARY", "STRUCTURED"})
    void eventsOfTheSdkAreReadByCncfs(Encoding mode) throws Exception {
        CloudEvent event = CloudEvent.builder()
                .id("4711")
                .source("/shop")
                .type("com.example.order.placed")
                .subject("orders/4711")
                .time(Instant.parse("2026-11-25T10:11:12.123456Z"))
                .dataSchema(URI.create("https://example.com/order.json"))
                .data("application/json", DATA)
                .extension("region", "PT")
                .build();
        try (Publisher publisher = ringtable.publisher("queue://" + queue)) {
            publisher.publishAndWait(
                    mode == Encoding.BINARY
                            ? Message.cloudEvent(event)
                            : Message.builder().structuredCloudEvent(event).build());
        }

        io.cloudevents.CloudEvent read =
                ProtonAmqpMessageFactory.createReader(received()).toEvent();

        assertThat(read.getId()).isEqualTo("4711");
        assertThat(read.getSource()).isEqualTo(URI.create("/shop"));
        assertThat(read.getType()).isEqualTo("com.example.order.placed");
        assertThat(read.getSubject()).isEqualTo("orders/4711");
        assertThat(read.getTime()).isEqualTo(OffsetDateTime.parse("2026-11-25T10:11:12.123456Z"));
        assertThat(read.getDataSchema()).isEqualTo(URI.create("https://example.com/order.json"));
        assertThat(read.getDataContentType()).isEqualTo("application/json");
        assertThat(read.getExtension("region")).isEqualTo("PT");
        assertThat(read.getData().toBytes()).isEqualTo(DATA);
    }

    @ParameterizedTest
    @EnumSource(
            value = Encoding.class,
            names = {"BINARY", "STRUCTURED"})
    void eventsOfCncfsSdkAreRead(Encoding mode) throws Exception {
        io.cloudevents.CloudEvent event = new CloudEventBuilder()
                .withId("4711")
                .withSource(URI.create("/shop"))
                .withType("com.example.order.placed")
                .withSubject("orders/4711")
                .withTime(OffsetDateTime.parse("2026-11-25T11:11:12.123456+01:00"))
                .withData("application/json", URI.create("https://example.com/order.json"), DATA)
                .build();
        var writer = ProtonAmqpMessageFactory.createWriter();
        send(mode == Encoding.BINARY ? writer.writeBinary(event) : writer.writeStructured(event, new JsonFormat()));

        CloudEvent read = next();

        assertThat(read.id()).isEqualTo("4711");
        assertThat(read.source()).isEqualTo("/shop");
        assertThat(read.type()).isEqualTo("com.example.order.placed");
        assertThat(read.subject()).contains("orders/4711");
        assertThat(read.time()).contains(Instant.parse("2026-11-25T10:11:12.123456Z"));
        assertThat(read.dataSchema()).contains("https://example.com/order.json");
        assertThat(read.dataContentType()).contains("application/json");
        assertThat(read.data().orElseThrow()).isEqualTo(DATA);
    }

    /** The types of the binding's table, as SDKs of other languages write them. */
    @Test
    void attributesInTheTypesOfAmqpAreRead() throws Exception {
        var message = org.apache.qpid.protonj2.client.Message.create(DATA);
        message.contentType("application/json");
        message.property("cloudEvents:specversion", "1.0");
        message.property("cloudEvents:id", "4711");
        message.property("cloudEvents:source", "/shop");
        message.property("cloudEvents:type", "t");
        message.property("cloudEvents:time", new Date(1_700_000_000_123L));
        message.property("cloudEvents:retries", 3L);
        message.property("cloudEvents:express", true);
        connection.openSender(queue).send(message).awaitAccepted(SOON_S, TimeUnit.SECONDS);

        CloudEvent read = next();

        assertThat(read.time()).contains(Instant.ofEpochMilli(1_700_000_000_123L));
        assertThat(read.extensions()).containsEntry("retries", 3).containsEntry("express", true);
        assertThat(read.data().orElseThrow()).isEqualTo(DATA);
    }

    private CloudEvent next() {
        try (Receiver receiver = ringtable.receiver("queue://" + queue)) {
            var message = receiver.receive(Duration.ofSeconds(SOON_S)).orElseThrow();
            message.acknowledge();
            return message.cloudEvent().orElseThrow();
        }
    }

    private void send(org.apache.qpid.proton.message.Message message) throws ClientException, IOException {
        byte[] bytes = new byte[64 * 1024];
        int length = message.encode(bytes, 0, bytes.length);
        StreamSenderMessage sent = connection.openStreamSender(queue).beginMessage();
        try (OutputStream out = sent.rawOutputStream()) {
            out.write(bytes, 0, length);
        }
        sent.tracker().awaitAccepted(SOON_S, TimeUnit.SECONDS);
    }

    private org.apache.qpid.proton.message.Message received() throws ClientException, IOException {
        Delivery delivery = connection.openReceiver(queue).receive(SOON_S, TimeUnit.SECONDS);
        byte[] bytes = delivery.rawInputStream().readAllBytes();
        delivery.accept();
        var message = org.apache.qpid.proton.message.Message.Factory.create();
        message.decode(bytes, 0, bytes.length);
        assertThat(Arrays.copyOf(bytes, 1)).as("a section begins").containsExactly(0);
        return message;
    }
}
