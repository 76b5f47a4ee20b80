package io.ringtable.broker.amqp;

import static org.hamcrest.CoreMatchers.containsString;
import static org.hamcrest.CoreMatchers.nullValue;

import io.ringtable.wire.Encoded;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.apache.qpid.protonj2.test.driver.codec.primitives.Symbol;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Links with a producer, frame by frame: what a client of another language may rely on. */
@Timeout(120)
class ProducerScenarioTest {
    private static final String PRODUCER = "ringtable:producer";
    private static final String INCARNATION = "ringtable:producer-incarnation";
    private static final String LAST_NUMBER = "ringtable:producer-last-number";
    private static final int SECONDS = 60;

    @TempDir
    private Path directory;

    private TestBroker broker;
    private ProtonTestClient peer;
    private int deliveries;

    @BeforeEach
    void connect() throws Exception {
        broker = TestBroker.start(directory);
        peer = open("peer");
    }

    private ProtonTestClient open(String container) throws Exception {
        return FramePeer.open(broker, container);
    }

    @AfterEach
    void disconnect() {
        peer.close();
        broker.close();
    }

    private static void done(ProtonTestClient client) {
        client.waitForScriptToComplete(SECONDS, TimeUnit.SECONDS);
    }

    private static void attach(ProtonTestClient client, String link, int handle, Map<String, Object> properties) {
        client.remoteAttach()
                .ofSender()
                .withName(link)
                .withHandle(handle)
                .withInitialDeliveryCount(0)
                .withProperties(symbols(properties))
                .withSource()
                .withAddress("me")
                .and()
                .withTarget()
                .withAddress("orders")
                .withCapabilities("queue")
                .and()
                .now();
        done(client);
    }

    private static Map<Symbol, Object> symbols(Map<String, Object> properties) {
        return properties.entrySet().stream()
                .collect(Collectors.toMap(entry -> Symbol.valueOf(entry.getKey()), Map.Entry::getValue));
    }

    private void attached(Map<String, Object> properties, long incarnation, long lastNumber) {
        peer.expectAttach()
                .ofReceiver()
                .withProperties(Map.of(PRODUCER, "p", INCARNATION, incarnation, LAST_NUMBER, lastNumber));
        peer.expectFlow();
        attach(peer, "one", 0, properties);
    }

    private void publish(byte[] tag) {
        peer.remoteTransfer()
                .withHandle(0)
                .withDeliveryId(deliveries++)
                .withDeliveryTag(tag)
                .withMessageFormat(0)
                .withSettled(false)
                .withMore(false)
                .withPayload(Encoded.text("one"))
                .now();
        done(peer);
    }

    private static byte[] numbers(long first, long previous) {
        return ByteBuffer.allocate(16).putLong(first).putLong(previous).array();
    }

    @Test
    void theAnswerSaysHowFarTheProducerHasCome() throws Exception {
        attached(Map.of(PRODUCER, "p"), 1L, 0L);
        peer.expectDisposition().withSettled(true).withState().accepted();
        publish(numbers(7, 0)); // numbers may begin anywhere and leave some out
        peer.expectDisposition().withSettled(true).withState().accepted();
        publish(numbers(7, 0));
        peer.expectDetach().withClosed(true).withError(nullValue());
        peer.remoteDetach().withHandle(0).withClosed(true).now();
        done(peer);
        attached(Map.of(PRODUCER, "p"), 2L, 7L);
    }

    @Test
    void aPublisherWithoutAProducerHearsOnRequestHowManyDuplicateIdsAreKept() {
        peer.expectAttach().ofReceiver().withProperties(Map.of("ringtable:duplicate-ids", 2_000));
        peer.expectFlow();
        attach(peer, "one", 0, Map.of("ringtable:duplicate-ids", 500));
    }

    @Test
    void aMessageWhosePredecessorIsNotStoredIsOutOfOrder() {
        attached(Map.of(PRODUCER, "p"), 1L, 0L);
        peer.expectDisposition().withState().rejected("amqp:precondition-failed", containsString("RT-4107"));
        publish(numbers(3, 2));
        peer.expectDisposition().withState().accepted();
        publish(numbers(3, 0));
    }

    @Test
    void aTransferWithoutNumbersIsRefused() {
        attached(Map.of(PRODUCER, "p"), 1L, 0L);
        for (byte[] tag :
                new byte[][] {{1}, numbers(0, 0), numbers(2, 2), numbers(2, -1), numbers(Long.MAX_VALUE, 0)}) {
            peer.expectDisposition().withState().rejected("amqp:invalid-field", containsString("RT-4106"));
            publish(tag);
        }
    }

    @Test
    void theNewerLinkFencesTheOlderAndTheOlderIncarnationIsRefused() throws Exception {
        attached(Map.of(PRODUCER, "p"), 1L, 0L);
        ProtonTestClient other = open("other");
        try {
            peer.expectDetach().withClosed(true).withError("amqp:link:stolen", containsString("RT-4101"));
            other.expectAttach().ofReceiver().withProperties(Map.of(PRODUCER, "p", INCARNATION, 2L, LAST_NUMBER, 0L));
            other.expectFlow();
            attach(other, "two", 0, Map.of(PRODUCER, "p"));
            done(peer);
            peer.remoteDetach().withHandle(0).withClosed(true).now();
            refused(Map.of(PRODUCER, "p", INCARNATION, 1L), "amqp:not-allowed", "RT-4101");
            refused(Map.of(PRODUCER, "p", INCARNATION, 3L), "amqp:not-found", "RT-4105");
        } finally {
            other.close();
        }
    }

    private void refused(Map<String, Object> properties, String condition, String code) {
        peer.expectAttach().ofReceiver().withTarget(nullValue());
        peer.expectDetach().withClosed(true).withError(condition, containsString(code));
        attach(peer, "again", 1, properties);
        peer.remoteDetach().withHandle(1).withClosed(true).now();
    }

    @Test
    void whatIsNoProducerIsRefused() {
        refused(Map.of(PRODUCER, ""), "amqp:invalid-field", "RT-4104");
        refused(Map.of(PRODUCER, 7), "amqp:invalid-field", "RT-4104");
        refused(Map.of(PRODUCER, "x".repeat(201)), "amqp:invalid-field", "RT-4104");
        refused(Map.of(PRODUCER, "p", INCARNATION, "one"), "amqp:invalid-field", "RT-4104");
        peer.expectAttach().ofReceiver();
        peer.expectDetach().withClosed(true).withError("amqp:not-implemented", containsString("RT-4110"));
        peer.remoteAttach()
                .ofSender()
                .withName("anonymous")
                .withHandle(2)
                .withInitialDeliveryCount(0)
                .withProperties(symbols(Map.of(PRODUCER, "p")))
                .withSource()
                .withAddress("me")
                .and()
                .withTarget()
                .and()
                .now();
        done(peer);
    }
}
