package io.ringtable.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what a publisher writes, frame by frame. */
@Timeout(120)
class PublishProtocolTest {
    private static final long BATCH_FORMAT = 0x80013700L;
    private final ScriptedBroker broker = new ScriptedBroker();

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void sendsALoneMessageAtOnceAsPlainTransferAndCompletesItsFutureOnAccepted() throws Exception {
        broker.acceptsConnectionWithBatches();
        broker.acceptsPublisher(10);
        broker.peer
                .expectTransfer()
                .withMessageFormat(0)
                .withSettled(false)
                .withMore(false)
                .withNonNullPayload()
                .accept();
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher("queue://orders")) {
            publisher.publish(Message.text("one")).get(60, TimeUnit.SECONDS);
            broker.done();
            assertThat(client.statistics().accepted()).isEqualTo(1);
            assertThat(publisher.pending()).isZero();
            broker.peer.expectDetach().optional().respond();
            broker.peer.expectEnd().optional().respond();
            broker.peer.expectClose().optional().respond();
        }
    }

    @Test
    void writesTheEncodingThatTheSpecificationShows() {
        Message message = Message.builder()
                .text("hi")
                .messageId("m1")
                .subject("s")
                .property("n", 7)
                .priority(9)
                .timeToLive(Duration.ofSeconds(1))
                .build();
        AtomicReference<byte[]> sent = new AtomicReference<>();
        broker.acceptsConnection();
        broker.acceptsPublisher(1);
        broker.peer.expectTransfer().withPayload(Scripts.capture(sent)).accept();
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher("queue://orders")) {
            publisher.publishAndWait(message);
        }
        assertThat(sent.get())
                .asHexString()
                .isEqualTo(
                        "005370C0090341500970000003E8" // header: durable, priority 9, ttl 1000
                                + "005373D00000000D00000004" // properties: list32 of 4
                                + "A1026D314040A10173" // "m1", null, null, "s"
                                + "005374D10000000C00000002A1016E7100000007" // application properties: "n" = 7
                                + "005377A1026869"); // value: "hi"
    }

    @Test
    void putsWhatGathersWhileTransfersAreUnderWayIntoOneTransferWithOneOutcome() throws Exception {
        AtomicReference<byte[]> batch = new AtomicReference<>();
        broker.acceptsConnectionWithBatches();
        broker.acceptsPublisher(10);
        broker.peer.expectTransfer().withMessageFormat(0).withDeliveryId(0);
        broker.peer.expectTransfer().withMessageFormat(0).withDeliveryId(1);
        try (RingtableClient client = broker.client().connect()) {
            Publisher publisher = client.publisher("queue://orders");
            List<CompletableFuture<Void>> futures = new ArrayList<>();
            futures.add(publisher.publish(Message.text("a")));
            awaitTransfers(client, 1);
            futures.add(publisher.publish(Message.text("b")));
            broker.done();
            for (String text : List.of("c", "d", "e")) {
                futures.add(publisher.publish(Message.text(text)));
            }
            assertThat(client.statistics().publishTransfers()).isEqualTo(2);

            broker.peer
                    .expectTransfer()
                    .withMessageFormat(BATCH_FORMAT)
                    .withDeliveryId(2)
                    .withPayload(Scripts.capture(batch))
                    .accept();
            broker.peer
                    .remoteDisposition()
                    .withRole(true)
                    .withFirst(0)
                    .withLast(1)
                    .withSettled(true)
                    .withState()
                    .accepted()
                    .now();
            for (CompletableFuture<Void> future : futures) {
                future.get(60, TimeUnit.SECONDS);
            }
            broker.done();
            assertThat(client.statistics().publishTransfers()).isEqualTo(3);
        }
        // Three data sections, each with a header (durable) and a value of one letter.
        String message = "005375A00D" + "005370C0020141" + "005377A101";
        assertThat(batch.get()).asHexString().isEqualTo(message + "63" + message + "64" + message + "65");
    }

    @Test
    void sendsEachMessageAloneToABrokerThatDoesNotOfferBatches() throws Exception {
        broker.acceptsConnection();
        broker.acceptsPublisher(100);
        for (int i = 0; i < 20; i++) {
            broker.peer.expectTransfer().withMessageFormat(0).withDeliveryId(i);
        }
        try (RingtableClient client = broker.client().connect()) {
            Publisher publisher = client.publisher("queue://orders");
            CompletableFuture<Void> all = publisher.publishAll(Scripts.messages(20));
            broker.done();
            assertThat(all).isNotDone();
            broker.peer
                    .remoteDisposition()
                    .withRole(true)
                    .withFirst(0)
                    .withLast(19)
                    .withSettled(true)
                    .withState()
                    .accepted()
                    .now();
            all.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void neverSendsMoreThanItsCreditAllows() throws Exception {
        broker.acceptsConnection();
        broker.acceptsPublisher(2);
        broker.peer.expectTransfer().withDeliveryId(0).accept();
        broker.peer.expectTransfer().withDeliveryId(1).accept();
        try (RingtableClient client = broker.client().connect()) {
            Publisher publisher = client.publisher("queue://orders");
            CompletableFuture<Void> all = publisher.publishAll(Scripts.messages(3));
            broker.done();
            assertThat(publisher.pending()).isPositive();
            broker.peer.expectTransfer().withDeliveryId(2).accept();
            broker.peer.remoteFlow().withLinkCredit(1).withDeliveryCount(2).now();
            all.get(60, TimeUnit.SECONDS);
            broker.done();
        }
    }

    @Test
    void splitsAMessageLargerThanAFrameIntoSeveralTransferFrames() {
        broker.peer.expectSASLAnonymousConnect();
        broker.peer.expectOpen().respond().withMaxFrameSize(1_024);
        broker.acceptsPublisher(10);
        broker.peer.expectTransfer().withMore(true);
        broker.peer.expectTransfer().withMore(true);
        broker.peer.expectTransfer().withMore(false).accept();
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher("queue://orders")) {
            publisher.publishAndWait(Message.bytes(new byte[2_500]));
        }
    }

    @Test
    void answersADrainWhenItHasNothingToSend() {
        broker.acceptsConnection();
        broker.acceptsPublisher(10);
        try (RingtableClient client = broker.client().connect()) {
            client.publisher("queue://orders");
            broker.done();
            broker.peer.expectFlow().withLinkCredit(0).withDeliveryCount(10);
            broker.peer
                    .remoteFlow()
                    .withLinkCredit(10)
                    .withDeliveryCount(0)
                    .withDrain(true)
                    .now();
            broker.done();
        }
    }

    private static void awaitTransfers(RingtableClient client, long transfers) {
        await().until(() -> client.statistics().publishTransfers() >= transfers);
    }
}
