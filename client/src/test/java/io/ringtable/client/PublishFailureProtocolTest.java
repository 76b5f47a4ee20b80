package io.ringtable.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.qpid.protonj2.test.driver.codec.primitives.UnsignedLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests how a publisher meets refusals, lost connections, detaches and a limit of messages in flight that stays
 * reached.
 */
@Timeout(120)
class PublishFailureProtocolTest {
    /** A broker that has dropped the connection takes the next one and is silent; a busy machine answers in less. */
    private static final Duration SILENCE = Duration.ofSeconds(3);

    private final ScriptedBroker broker = new ScriptedBroker();

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void failsTheFutureOfARejectedMessageWithTheBrokersConditionAndText() {
        broker.acceptsConnection();
        broker.acceptsPublisher(10);
        broker.peer.expectTransfer().reject("amqp:resource-limit-exceeded", "RT-2001 queue 'orders' is full");
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher("queue://orders")) {
            assertThatThrownBy(() -> publisher.publishAndWait(Message.text("one")))
                    .isInstanceOfSatisfying(RingtableException.class, failure -> {
                        assertThat(failure.code()).isEqualTo("RT-5011");
                        assertThat(failure.reason()).isEqualTo(RingtableException.Reason.REJECTED);
                        assertThat(failure.condition()).contains("amqp:resource-limit-exceeded");
                    })
                    .hasMessageContaining("queue 'orders' is full");
            assertThat(client.statistics().rejected()).isEqualTo(1);
        }
    }

    @Test
    void sendsWhatWasNotAnsweredAgainInTheSameOrderAfterALostConnection() throws Exception {
        List<String> again = new ArrayList<>();
        broker.acceptsConnection();
        broker.acceptsPublisher(10);
        broker.peer.expectTransfer().withDeliveryId(0).accept();
        broker.peer.expectTransfer().withDeliveryId(1);
        broker.peer.expectTransfer().withDeliveryId(2);
        broker.peer.dropAfterLastHandler();
        try (ScriptedBroker second = new ScriptedBroker()) {
            second.acceptsConnection();
            second.acceptsPublisher(10);
            for (int i = 0; i < 2; i++) {
                AtomicReference<byte[]> payload = new AtomicReference<>();
                second.peer
                        .expectTransfer()
                        .withDeliveryId(i)
                        .withPayload(Scripts.capture(payload))
                        .withCapture(transfer -> again.add(lastByte(payload.get())))
                        .accept();
            }
            try (RingtableClient client = broker.client()
                    .uris(broker.uri(), second.uri())
                    .connectTimeout(SILENCE)
                    .connect()) {
                Publisher publisher = client.publisher("queue://orders");
                List<CompletableFuture<Void>> futures = List.of(
                        publisher.publish(Message.text("a")),
                        publisher.publish(Message.text("b")),
                        publisher.publish(Message.text("c")));
                for (CompletableFuture<Void> future : futures) {
                    future.get(60, TimeUnit.SECONDS);
                }
                second.done();
                assertThat(client.statistics().connections()).isEqualTo(2);
                assertThat(again).hasSize(2);
            }
        }
    }

    @Test
    void refusesAMessageLargerThanTheLinkTakesWithoutSendingIt() {
        broker.acceptsConnection();
        broker.peer.expectBegin().respond();
        broker.peer.expectAttach().ofSender().respond().withMaxMessageSize(UnsignedLong.valueOf(100));
        broker.peer.remoteFlow().withLinkCredit(10).queue();
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher("queue://orders")) {
            assertThat(catchThrowable(() ->
                            publisher.publish(Message.bytes(new byte[200])).join()))
                    .hasCauseInstanceOf(RingtableException.class)
                    .hasMessageContaining("RT-5012")
                    .hasMessageContaining("100");
            broker.peer.expectTransfer().accept();
            publisher.publishAndWait(Message.bytes(new byte[20]));
        }
    }

    @Test
    void blocksInPublishWhileTooMuchIsInFlightAndFailsTheFutureAfterThePublishTimeout() {
        broker.acceptsConnection();
        broker.acceptsPublisher(10);
        broker.peer.expectTransfer().withDeliveryId(0);
        broker.peer.expectTransfer().withDeliveryId(1);
        try (RingtableClient client = broker.client()
                .inFlightLimit(new InFlightLimit(2, 1_000_000))
                .publishTimeout(Duration.ofMillis(100))
                .connect()) {
            Publisher publisher = client.publisher("queue://orders");
            publisher.publish(Message.text("a"));
            publisher.publish(Message.text("b"));
            long before = System.nanoTime();
            CompletableFuture<Void> third = publisher.publish(Message.text("c"));
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThan(Duration.ofMillis(90));
            assertThatThrownBy(third::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("RT-5010")
                    .hasMessageContaining("queue://orders")
                    .hasMessageContaining("2 messages");
            broker.done();
            assertThat(publisher.pending()).isEqualTo(2);
        }
    }

    @Test
    void failsWhatIsUnansweredWhenItIsClosed() {
        broker.acceptsConnection();
        broker.acceptsPublisher(10);
        broker.peer.expectTransfer();
        broker.peer.expectDetach().respond();
        broker.peer.expectEnd().respond();
        broker.peer.expectClose().respond();
        CompletableFuture<Void> future;
        try (RingtableClient client = broker.client().connect()) {
            Publisher publisher = client.publisher("queue://orders");
            future = publisher.publish(Message.text("a"));
        }
        assertThatThrownBy(future::join).hasMessageContaining("RT-5008").hasMessageContaining("may be stored");
        broker.done();
    }

    @Test
    void reportsARefusedAddressWithTheBrokersCondition() {
        broker.acceptsConnection();
        broker.peer.expectBegin().respond();
        broker.peer
                .expectAttach()
                .ofSender()
                .reject(true, "amqp:not-found", "RT-4004 no queue 'orders', auto-create is off");
        broker.peer.expectDetach();
        broker.peer.expectEnd().optional().respond();
        try (RingtableClient client = broker.client().connect()) {
            assertThatThrownBy(() -> client.publisher("queue://orders"))
                    .isInstanceOfSatisfying(RingtableException.class, failure -> {
                        assertThat(failure.code()).isEqualTo("RT-5020");
                        assertThat(failure.condition()).contains("amqp:not-found");
                    })
                    .hasMessageContaining("auto-create is off");
        }
    }

    @Test
    void attachesAgainAndSendsAgainAfterADetachForAReasonThatPasses() throws Exception {
        broker.acceptsConnection();
        broker.acceptsPublisher(10);
        broker.peer.expectTransfer().withDeliveryId(0);
        try (RingtableClient client = broker.client().connect()) {
            Publisher publisher = client.publisher("queue://orders");
            CompletableFuture<Void> future = publisher.publish(Message.text("a"));
            broker.done();
            broker.peer.expectDetach();
            broker.peer.expectEnd().respond();
            broker.acceptsPublisher(10);
            broker.peer.expectTransfer().withDeliveryId(0).accept();
            broker.peer
                    .remoteDetach()
                    .withHandle(0)
                    .withClosed(true)
                    .withErrorCondition("amqp:internal-error", "for now")
                    .now();
            future.get(60, TimeUnit.SECONDS);
            broker.done();
        }
    }

    @Test
    void failsWhatIsUnansweredAfterADetachForGood() {
        broker.acceptsConnection();
        broker.acceptsPublisher(10);
        broker.peer.expectTransfer().withDeliveryId(0);
        try (RingtableClient client = broker.client().connect()) {
            Publisher publisher = client.publisher("queue://orders");
            CompletableFuture<Void> future = publisher.publish(Message.text("a"));
            broker.done();
            broker.peer.expectDetach();
            broker.peer.expectEnd().optional().respond();
            broker.peer
                    .remoteDetach()
                    .withHandle(0)
                    .withClosed(true)
                    .withErrorCondition("amqp:resource-deleted", "the queue is gone")
                    .now();
            assertThatThrownBy(future::join).hasMessageContaining("RT-5023").hasMessageContaining("gone");
            assertThat(publisher.publish(Message.text("b"))).isCompletedExceptionally();
            assertThat(publisher.pending()).isZero();
        }
    }

    @Test
    void refusesToBlockTheIoThreadInsteadOfHangingForEver() throws Exception {
        broker.acceptsConnection();
        broker.acceptsPublisher(10);
        broker.peer.expectTransfer();
        try (RingtableClient client = broker.client().connect()) {
            Publisher publisher = client.publisher("queue://orders");
            // Accepted only now that the stage is attached: a stage attached to a future that is done runs here.
            CompletableFuture<Throwable> thrown = publisher
                    .publish(Message.text("a"))
                    .thenApply(done -> catchThrowable(() -> publisher.publishAndWait(Message.text("b"))));
            broker.done();
            broker.accepts(0);
            assertThat(thrown.get(60, TimeUnit.SECONDS)).hasMessageContaining("RT-5015");
        }
    }

    @Test
    void aBrokerThatCannotDeleteAnAddressIsNotTakenToHaveDoneSo() {
        broker.acceptsConnection();
        broker.peer.expectBegin().respond();
        broker.peer.expectAttach().ofSender().respond();
        broker.peer.expectDetach().respond();
        try (RingtableClient client = broker.client().connect()) {
            assertThatThrownBy(() -> client.delete(Address.queue("orders")))
                    .isInstanceOfSatisfying(
                            RingtableException.class,
                            failure -> assertThat(failure.code()).isEqualTo("RT-5018"));
        }
    }

    private static String lastByte(byte[] payload) {
        return payload == null ? "?" : new String(payload, payload.length - 1, 1, StandardCharsets.UTF_8);
    }
}
