package io.ringtable.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how a subscription ends, and what it does when its connection or its link is lost. */
@Timeout(60)
class SubscriptionEndProtocolTest {

    private final ScriptedBroker broker = new ScriptedBroker();

    @AfterEach
    void stop() {
        broker.close();
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
            closer.join(5_000);
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
                            .connectTimeout(Duration.ofMillis(300))
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
}
