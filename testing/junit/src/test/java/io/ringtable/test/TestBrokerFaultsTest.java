package io.ringtable.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.client.ClientBuilder;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.Receiver;
import io.ringtable.client.Reconnect;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.RingtableException;
import java.net.URI;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each fault does what it says, and its end mends it. */
@RingtableTest(own = true)
class TestBrokerFaultsTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    private RingtableClient client;
    private RingtableClient impatient; // for what must not come

    @BeforeEach
    void connect(URI url) {
        client = builder(url).connect();
        impatient = builder(url)
                .requestTimeout(Duration.ofMillis(500))
                .closeTimeout(Duration.ofMillis(500))
                .connect();
    }

    private static ClientBuilder builder(URI url) {
        return RingtableClient.builder()
                .uri(url.toString())
                .reconnect(Reconnect.DEFAULT.firstDelay(Duration.ofMillis(20)).longestDelay(Duration.ofMillis(100)));
    }

    @AfterEach
    void close() {
        impatient.close();
        client.close();
    }

    @Test
    void cutsConnectionsAndLetsThemComeBack(TestBroker broker) {
        try (Publisher orders = client.publisher("orders")) {
            long before = client.statistics().connections();

            broker.cutConnections();

            Awaitility.await()
                    .atMost(SOON)
                    .until(() -> client.statistics().connections() > before && client.isConnected());
            orders.publishAndWait(Message.text("after the cut"));
        }
        assertThat(broker.awaitPublished("orders").text()).isEqualTo("after the cut");
    }

    @Test
    void keepsMessagesAndItsUrlThroughARestart(TestBroker broker) {
        URI before = broker.url();
        publish("one book");

        broker.restart();

        assertThat(broker.url()).isEqualTo(before);
        try (Receiver receiver = client.receiver("orders")) {
            assertThat(receiver.receive(SOON).orElseThrow().text()).isEqualTo("one book");
        }
    }

    @Test
    void isGoneWhileItIsDown(TestBroker broker) {
        Fault down = broker.down();
        assertThatThrownBy(broker::connect).isInstanceOf(RingtableException.class);
        assertThatThrownBy(() -> broker.awaitEmpty("orders")).hasMessageStartingWith("RT-7004");

        down.close();

        Awaitility.await().atMost(SOON).until(client::isConnected);
        publish("one book");
    }

    @Test
    void givesNoCreditWhileAnAddressIsFull(TestBroker broker) {
        Fault full = broker.full("queue://orders");
        assertThatThrownBy(() -> publish(impatient, "one book")).isInstanceOf(RingtableException.class);
        try (Publisher others = client.publisher("queue://invoices")) {
            others.publishAndWait(Message.text("others go on"));
        }

        full.close();

        publish("there is room again");
        assertThat(broker.awaitPublished("queue://invoices").text()).isEqualTo("others go on");
    }

    @Test
    void rejectsWhileTheStoreIsFull(TestBroker broker) {
        try (Publisher orders = client.publisher("orders")) {
            orders.publishAndWait(Message.text("before"));
            Fault full = broker.storeFull();
            assertThatThrownBy(() -> orders.publishAndWait(Message.text("meanwhile")))
                    .isInstanceOf(RingtableException.class)
                    .hasMessageContaining("RT-7001");
            full.close();
            orders.publishAndWait(Message.text("after"));
        }
        assertThat(broker.published("orders"))
                .extracting(PublishedMessage::text)
                .containsExactly("before", "after");
    }

    private void publish(String text) {
        publish(client, text);
    }

    private static void publish(RingtableClient client, String text) {
        try (Publisher orders = client.publisher("queue://orders")) {
            orders.publishAndWait(Message.text(text));
        }
    }
}
