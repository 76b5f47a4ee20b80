package io.ringtable.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a client logs in, what it does not try again, how long it goes on, and how it notices a silent broker. */
@Timeout(120)
class ConnectProtocolTest {
    /** A broker that has dropped the connection takes the next one and is silent; a busy machine answers in less. */
    private static final Duration SILENCE = Duration.ofSeconds(3);

    private static final Duration LONGER_THAN_A_TEST = Duration.ofHours(1); // @Timeout ends who waits for it

    private final ScriptedBroker broker = new ScriptedBroker();

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void logsInWithUserAndPassword() {
        broker.peer.expectSASLPlainConnect("shop", "secret");
        broker.peer.expectOpen().withDesiredCapabilities("RINGTABLE_BATCH").respond();
        broker.peer.expectClose().respond();
        try (RingtableClient client =
                broker.client().user("shop", () -> "secret").connect()) {
            assertThat(client.isConnected()).isTrue();
        }
        broker.done();
    }

    @Test
    void failsConnectAtOnceIfTheLoginIsRefusedEvenIfItMayWait() {
        broker.peer.expectFailingSASLPlainConnect((byte) 1);
        assertThatThrownBy(() -> broker.client()
                        .user("shop", () -> "wrong")
                        .waitForBroker(LONGER_THAN_A_TEST)
                        .connect())
                .isInstanceOfSatisfying(RingtableException.class, failure -> {
                    assertThat(failure.code()).isEqualTo("RT-5003");
                    assertThat(failure.reason()).isEqualTo(RingtableException.Reason.SECURITY);
                })
                .hasMessageContaining("'shop'")
                .hasMessageNotContaining("wrong");
    }

    @Test
    void isNeverSilentlyAnonymousIfItHasAUser() {
        broker.peer.expectSaslMechanismNegotiationFailure("ANONYMOUS");
        assertThatThrownBy(() -> broker.client().user("shop", () -> "secret").connect())
                .hasMessageContaining("RT-5003")
                .hasMessageContaining("ANONYMOUS");
    }

    @Test
    void failsConnectAtOnceIfTheBrokerRefusesTheConnectionForGood() {
        broker.peer.expectSASLAnonymousConnect();
        broker.peer.expectOpen();
        broker.peer
                .remoteOpen()
                .withProperty("amqp:connection-establishment-failed", true)
                .queue();
        broker.peer
                .remoteClose()
                .withErrorCondition("amqp:invalid-field", "container id in use")
                .queue();
        broker.peer.expectClose();
        assertThatThrownBy(
                        () -> broker.client().waitForBroker(LONGER_THAN_A_TEST).connect())
                .hasMessageContaining("RT-5005")
                .hasMessageContaining("container id in use");
    }

    @Test
    void triesEachUriOnceAndNamesThemAll() throws IOException {
        int free = freePort();
        assertThatThrownBy(() -> RingtableClient.connect("amqp://127.0.0.1:" + free, "amqp://127.0.0.1:" + (free + 1)))
                .hasMessageContaining("RT-5002")
                .hasMessageContaining(":" + free + ",")
                .hasMessageContaining(":" + (free + 1));
    }

    @Test
    void takesTheFirstBrokerThatAnswers() throws IOException {
        broker.acceptsConnection();
        broker.peer.expectClose().respond();
        try (RingtableClient client = broker.client()
                .uris("amqp://127.0.0.1:" + freePort(), broker.uri())
                .connect()) {
            assertThat(client.isConnected()).isTrue();
        }
        broker.done();
    }

    @Test
    void waitsForABrokerThatIsNotThereYetIfAskedTo() throws Exception {
        int port = freePort();
        CompletableFuture<RingtableClient> connecting;
        try (ServerSocket next = new ServerSocket(0)) {
            connecting = CompletableFuture.supplyAsync(() -> RingtableClient.builder()
                    .uris("amqp://127.0.0.1:" + port, "amqp://127.0.0.1:" + next.getLocalPort())
                    .waitForBroker(LONGER_THAN_A_TEST)
                    .connect());
            next.accept().close(); // it has tried the first in vain
        }
        try (ScriptedBroker late = new ScriptedBroker(port)) {
            late.acceptsConnection();
            late.peer.expectClose().respond();
            connecting.get(60, TimeUnit.SECONDS).close();
            late.done();
        }
    }

    @Test
    void failsEverythingOutstandingWhenTheReconnectBoundIsExceeded() {
        List<String> events = new CopyOnWriteArrayList<>();
        broker.acceptsConnection();
        broker.acceptsPublisher(10);
        broker.peer.expectTransfer();
        broker.peer.dropAfterLastHandler();
        ClientListener listener = new ClientListener() {
            @Override
            public void connected(String uri) {
                events.add("connected");
            }

            @Override
            public void disconnected(String uri, RingtableException cause) {
                events.add("disconnected");
            }

            @Override
            public void failed(RingtableException cause) {
                events.add("failed");
            }
        };
        try (RingtableClient client = broker.client()
                .listener(listener)
                .connectTimeout(SILENCE)
                .reconnect(Reconnect.DEFAULT.firstDelay(Duration.ofMillis(10)).giveUpAfter(Duration.ofMillis(300)))
                .connect()) {
            Publisher publisher = client.publisher("queue://orders");
            CompletableFuture<Void> future = publisher.publish(Message.text("a"));
            assertThatThrownBy(future::join).hasMessageContaining("RT-5007");
            assertThat(publisher.publish(Message.text("b"))).isCompletedExceptionally();
            assertThatThrownBy(() -> client.publisher("queue://other")).hasMessageContaining("RT-5007");
            await().until(() -> client.closed().isCompletedExceptionally());
            assertThat(events).containsExactly("connected", "disconnected", "failed");
            assertThat(client.isConnected()).isFalse();
        }
    }

    @Test
    void takesABrokerThatIsSilentForTooLongAsLost() {
        List<String> lost = new CopyOnWriteArrayList<>();
        broker.peer.expectSASLAnonymousConnect();
        broker.peer.expectOpen().withIdleTimeOut(1_000).respond();
        broker.peer.expectClose().optional();
        ClientListener listener = new ClientListener() {
            @Override
            public void disconnected(String uri, RingtableException cause) {
                lost.add(cause.getMessage());
            }
        };
        try (RingtableClient client = broker.client()
                .idleTimeout(Duration.ofSeconds(1))
                .listener(listener)
                .connect()) {
            await().atMost(Duration.ofSeconds(60)).until(() -> !lost.isEmpty());
            assertThat(lost.get(0)).contains("RT-5006").containsIgnoringCase("idle");
            assertThat(client.isConnected()).isFalse();
        }
    }

    @Test
    void sendsEmptyFramesWellWithinTheBrokersIdleTimeout() {
        broker.peer.expectSASLAnonymousConnect();
        int idleMs = 3_000;
        broker.peer.expectOpen().respond().withIdleTimeOut(idleMs);
        broker.peer.expectEmptyFrame();
        broker.peer.expectEmptyFrame();
        try (RingtableClient client = broker.client().connect()) {
            // Both are due by the first half. No end waits for a disk, and a thread that is ready waits milliseconds
            // for a processor, whatever runs beside.
            broker.peer.waitForScriptToComplete(2 * idleMs, TimeUnit.MILLISECONDS);
            assertThat(client.isConnected()).isTrue();
        }
    }

    @Test
    void refusesUrisAndSettingsThatCannotWork() {
        assertThatThrownBy(() -> RingtableClient.connect("http://localhost")).hasMessageContaining("RT-5001");
        assertThatThrownBy(() -> RingtableClient.connect("amqp://shop:secret@localhost"))
                .hasMessageContaining("RT-5001")
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> RingtableClient.connect("amqp://shop:sec ret@localhost"))
                .hasMessageContaining("RT-5001")
                .hasMessageNotContaining("ret@");
        assertThatThrownBy(() -> RingtableClient.connect()).hasMessageContaining("no URI");
        assertThatThrownBy(() -> RingtableClient.connect("amqp://shop@localhost"))
                .hasMessageContaining("no password");
        assertThatThrownBy(() -> SubscriptionOptions.queue("orders").durable("x"))
                .hasMessageContaining("RT-5001");
        assertThatThrownBy(() -> SubscriptionOptions.queue("orders").prefetch(0))
                .hasMessageContaining("prefetch=0");
        assertThatThrownBy(() -> new InFlightLimit(0, 1)).hasMessageContaining("RT-5001");
        assertThatThrownBy(() -> Message.builder().property("list", List.of())).hasMessageContaining("RT-5014");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
