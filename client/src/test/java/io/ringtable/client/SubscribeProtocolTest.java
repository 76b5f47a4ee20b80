package io.ringtable.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.wire.Poison;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what a subscription writes, frame by frame, and how it takes the frames that come. */
@Timeout(120)
class SubscribeProtocolTest {
    /** A broker that has dropped the connection takes the next one and is silent; a busy machine answers in less. */
    private static final Duration SILENCE = Duration.ofSeconds(3);

    private final ScriptedBroker broker = new ScriptedBroker();

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void acknowledgesNeighboursInOneDispositionWhateverTheOrderOfTheSettlements() throws Exception {
        List<ReceivedMessage> kept = new CopyOnWriteArrayList<>();
        broker.acceptsConnection();
        broker.acceptsSubscription();
        broker.acceptsPublisher(1);
        try (RingtableClient client = broker.client().connect()) {
            client.subscribe(manual("queue://orders"), kept::add);
            Publisher publisher = client.publisher("queue://other");
            broker.done();
            broker.sends(0, "a");
            broker.sends(1, "b");
            broker.sends(2, "c");
            await().until(() -> kept.size() == 3);
            broker.peer.expectTransfer();
            // On the I/O thread, so that it cannot send the first settlement before it knows the last. Accepted only
            // when the stage is attached, since a stage attached to a future that is done runs here.
            CompletableFuture<Void> settled = publisher
                    .publish(Message.text("go"))
                    .thenRun(() -> {
                        kept.get(2).acknowledge();
                        kept.get(0).acknowledge();
                        kept.get(1).acknowledge();
                    });
            broker.done();
            broker.peer
                    .expectDisposition()
                    .withFirst(0)
                    .withLast(2)
                    .withSettled(true)
                    .withRole(true)
                    .withState()
                    .accepted();
            broker.accepts(0);
            settled.get(60, TimeUnit.SECONDS);
            broker.done();
            assertThat(kept.get(1).fail()).as("the first settlement counts").isFalse();
            assertThat(kept).extracting(ReceivedMessage::text).containsExactly("a", "b", "c");
            assertThat(kept).extracting(ReceivedMessage::arrival).containsExactly(1L, 2L, 3L);
            assertThat(client.statistics().dispositionsSent()).isEqualTo(1);
        }
    }

    @Test
    void failsAMessageWhoseHandlerThrowsAndAcknowledgesTheOthers() {
        broker.acceptsConnection();
        broker.acceptsSubscription();
        try (RingtableClient client = broker.client().connect()) {
            client.subscribe("queue://orders", message -> {
                if (message.text().equals("bad")) {
                    throw new IllegalStateException("as the test wants it");
                }
            });
            broker.done();
            broker.peer.expectDisposition().withFirst(0).withState().accepted();
            broker.peer.expectDisposition().withFirst(1).withState().modified(true);
            broker.peer.expectDisposition().withFirst(2).withState().accepted();
            broker.sends(0, "good");
            broker.sends(1, "bad");
            broker.sends(2, "good");
            broker.done();
            await().until(() -> client.statistics().acknowledged() == 2);
            assertThat(client.statistics().notAcknowledged()).isEqualTo(1);
        }
    }

    @Test
    void failsAHostileMessageWithItsOwnErrorAndGoesOn() {
        List<String> refusals = new CopyOnWriteArrayList<>();
        broker.acceptsConnection();
        broker.acceptsSubscription();
        try (RingtableClient client = broker.client().connect()) {
            client.subscribe("queue://orders", message -> {
                try {
                    message.properties();
                    message.value();
                } catch (RingtableException refused) {
                    refusals.add(refused.code());
                    throw refused;
                }
            });
            broker.done();
            byte[] body = {0, 0x53, 0x77};
            byte[][] hostile = {
                new Poison().put(body).put(Poison.nested(10_000, 0)).bytes(),
                Poison.property(Poison.nested(6_000, Integer.MAX_VALUE)),
                new Poison().put(body).put(new byte[100_000]).bytes()
            };
            for (int i = 0; i < hostile.length; i++) {
                broker.peer.expectDisposition().withFirst(i).withState().modified(true);
                broker.sends(i, hostile[i]);
                broker.done();
            }
            broker.peer
                    .expectDisposition()
                    .withFirst(hostile.length)
                    .withState()
                    .accepted();
            broker.sends(hostile.length, "good");
            broker.done();
            assertThat(refusals).containsExactly("RT-5030", "RT-5030", "RT-5030");
        }
    }

    @Test
    void sendsRejectReleaseAndFailAsTheirOutcomes() {
        broker.acceptsConnection();
        broker.acceptsSubscription();
        try (RingtableClient client = broker.client().connect();
                Receiver receiver = client.receiver("queue://orders")) {
            broker.done();
            broker.peer
                    .expectDisposition()
                    .withFirst(0)
                    .withState()
                    .rejected("ringtable:rejected-by-application", "no such article");
            broker.peer.expectDisposition().withFirst(1).withState().released();
            broker.peer.expectDisposition().withFirst(2).withState().modified(true);
            broker.sends(0, "a");
            broker.sends(1, "b");
            broker.sends(2, "c");
            take(receiver).reject("no such article");
            take(receiver).release();
            take(receiver).fail();
            broker.done();
            assertThat(receiver.receive(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    void grantsCreditInPortionsAndNeverMoreThanThePrefetch() {
        List<Integer> credits = new CopyOnWriteArrayList<>();
        broker.acceptsConnection();
        broker.peer.expectBegin().respond();
        broker.peer.expectAttach().ofReceiver().respond();
        broker.peer.expectFlow().withLinkCredit(8);
        try (RingtableClient client = broker.client().connect()) {
            CountDownLatch go = new CountDownLatch(1);
            client.subscribe(SubscriptionOptions.queue("orders").prefetch(8), message -> go.await());
            broker.done();
            for (int i = 0; i < 8; i++) {
                broker.sends(i, "m" + i);
            }
            await().until(() -> client.statistics().received() == 8);
            // All eight are unsettled: no credit. Settling them gives it back in portions of at least a quarter. Only
            // while there is none or one, a single one is given at once.
            AtomicInteger settled = new AtomicInteger();
            for (int i = 0; i < 8; i++) {
                broker.peer.expectDisposition().optional().withCapture(frame -> settled.incrementAndGet());
                broker.peer
                        .expectFlow()
                        .optional()
                        .withCapture(flow -> credits.add(flow.getLinkCredit().intValue()));
            }
            go.countDown();
            await().until(() -> credits.contains(8));
            assertThat(credits.get(0)).isBetween(1, 8);
            assertThat(credits.subList(1, credits.size()))
                    .allSatisfy(credit -> assertThat(credit).isBetween(2, 8));
            assertThat(credits).as("at most 1, 2, 4, 6, 8").hasSizeLessThanOrEqualTo(5);
        }
    }

    @Test
    void releasesWhatNobodyHasHandledWhenItIsClosed() throws Exception {
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        broker.acceptsConnection();
        broker.acceptsSubscription();
        try (RingtableClient client =
                broker.client().closeTimeout(Duration.ofSeconds(5)).connect()) {
            Subscription subscription = client.subscribe(SubscriptionOptions.queue("orders"), message -> {
                handling.countDown();
                go.await();
            });
            broker.done();
            broker.sends(0, "handled");
            broker.sends(1, "untouched");
            broker.sends(2, "untouched");
            assertThat(handling.await(60, TimeUnit.SECONDS)).isTrue();
            await().until(() -> client.statistics().received() == 3);
            broker.peer.expectDisposition().withFirst(0).withState().accepted();
            // In one frame, or in two if the handler's thread had already taken one of them.
            broker.peer.expectDisposition().withFirst(1).withState().released();
            broker.peer.expectDisposition().optional().withFirst(2).withState().released();
            broker.peer.expectDetach().withClosed(true).respond();
            broker.peer.expectEnd().respond();
            broker.peer.expectClose().respond();
            Thread closer = new Thread(subscription::close);
            closer.start();
            await().until(() -> !subscription.isOpen());
            go.countDown();
            closer.join(60_000);
            assertThat(subscription.closed()).isCompleted();
            assertThat(client.statistics().acknowledged()).isEqualTo(1);
        }
        broker.done();
    }

    @Test
    void reportsSettlementsOfALostConnectionAsLostAndSubscribesAgain() throws Exception {
        List<Integer> lost = new CopyOnWriteArrayList<>();
        broker.acceptsConnection();
        broker.acceptsSubscription();
        try (ScriptedBroker second = new ScriptedBroker()) {
            second.acceptsConnection();
            second.acceptsSubscription();
            ClientListener listener = new ClientListener() {
                @Override
                public void settlementsLost(Address address, int count) {
                    lost.add(count);
                }
            };
            try (RingtableClient client = broker.client()
                            .uris(broker.uri(), second.uri())
                            .connectTimeout(SILENCE)
                            .listener(listener)
                            .connect();
                    Receiver receiver = client.receiver("queue://orders")) {
                broker.done();
                broker.sends(0, "a");
                ReceivedMessage message = take(receiver);
                broker.peer.dropConnection();
                second.done();
                assertThat(message.acknowledge()).as("void").isFalse();
                await().until(() -> lost.equals(List.of(1)));
                assertThat(client.statistics().settlementsLost()).isEqualTo(1);

                second.peer.expectDisposition().withFirst(0).withState().accepted();
                second.peer
                        .remoteTransfer()
                        .withHandle(0)
                        .withDeliveryId(0)
                        .withDeliveryTag(new byte[] {1})
                        .withMessageFormat(0)
                        .withHeader()
                        .withDeliveryCount(1)
                        .also()
                        .withBody()
                        .withString("a")
                        .also()
                        .now();
                ReceivedMessage again = take(receiver);
                assertThat(again.isRedelivered()).isTrue();
                assertThat(again.deliveryCount()).isEqualTo(2);
                assertThat(again.arrival()).isEqualTo(2);
                assertThat(again.acknowledge()).isTrue();
                second.done();
            }
        }
    }

    @Test
    void endsASubscriptionThatTheBrokerDetachesForGoodAndTellsWhoWaits() {
        broker.acceptsConnection();
        broker.acceptsSubscription();
        try (RingtableClient client = broker.client().connect();
                Receiver receiver = client.receiver("queue://orders")) {
            broker.done();
            broker.peer.expectDetach();
            broker.peer.expectEnd().optional().respond();
            broker.peer
                    .remoteDetach()
                    .withHandle(0)
                    .withClosed(true)
                    .withErrorCondition("amqp:unauthorized-access", "no longer yours")
                    .later(50);
            assertThatThrownBy(() -> receiver.receive(Duration.ofSeconds(60)))
                    .hasMessageContaining("RT-5023")
                    .hasMessageContaining("no longer yours");
            assertThat(receiver.isOpen()).isFalse();
        }
    }

    @Test
    void attachesAgainAfterABrokerHasDetachedItForAReasonThatPasses() {
        broker.acceptsConnection();
        broker.acceptsSubscription();
        try (RingtableClient client = broker.client().connect();
                Receiver receiver = client.receiver("queue://orders")) {
            broker.done();
            broker.peer.expectDetach();
            broker.peer.expectEnd().respond();
            broker.acceptsSubscription();
            broker.peer
                    .remoteDetach()
                    .withHandle(0)
                    .withClosed(true)
                    .withErrorCondition("amqp:resource-limit-exceeded", "for now")
                    .now();
            broker.done();
            assertThat(receiver.isOpen()).isTrue();
        }
    }

    @Test
    void returnsNothingAfterTheTimeoutOfAReceive() {
        broker.acceptsConnection();
        broker.acceptsSubscription();
        try (RingtableClient client = broker.client().connect();
                Receiver receiver = client.receiver("queue://orders")) {
            long before = System.nanoTime();
            assertThat(receiver.receive(Duration.ofMillis(50))).isEmpty();
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThan(Duration.ofMillis(45));
        }
    }

    private static ReceivedMessage take(Receiver receiver) {
        Optional<ReceivedMessage> message = receiver.receive(Duration.ofSeconds(60));
        assertThat(message).isPresent();
        return message.get();
    }

    private static SubscriptionOptions manual(String address) {
        return SubscriptionOptions.to(Address.of(address)).acknowledge(AcknowledgeMode.MANUAL);
    }
}
