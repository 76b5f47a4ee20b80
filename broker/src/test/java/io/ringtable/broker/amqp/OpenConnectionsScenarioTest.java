package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoop;
import io.ringtable.broker.status.ConnectionStatus;
import io.ringtable.broker.status.LinkStatus;
import io.ringtable.broker.status.LinkStatus.WaitsFor;
import io.ringtable.broker.status.Snapshot;
import jakarta.jms.Connection;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Operators see what connections have open while clients use the broker. */
@Timeout(120)
class OpenConnectionsScenarioTest extends OperatorScenario {
    @Test
    void aConnectionShowsWhoItIsAndWhatItHolds() throws Exception {
        Session session = client.createSession(false, Session.CLIENT_ACKNOWLEDGE);
        Queue queue = session.createQueue("shown");
        MessageProducer producer = session.createProducer(queue);
        MessageConsumer consumer = session.createConsumer(queue);
        for (int i = 0; i < 3; i++) {
            producer.send(session.createTextMessage("x"));
        }
        assertThat(consumer.receive(WAIT_MS)).isNotNull();
        await().until(() -> only().unsettled() == 3);

        ConnectionStatus status = only();
        assertThat(status.id()).matches("c[1-9]\\d*");
        assertThat(status.open()).isTrue();
        assertThat(status.container()).isEqualTo("desk");
        assertThat(status.user()).as("nobody logs in").isEmpty();
        assertThat(status.mechanism()).isEqualTo("PLAIN");
        assertThat(status.tls()).isNull();
        assertThat(status.remote()).startsWith("127.0.0.1:");
        assertThat(status.sessions()).as("the client has one of its own").isEqualTo(2);
        assertThat(status.links()).isEqualTo(2);
        assertThat(status.heldBytes()).isPositive();
        assertThat(status.transactions()).isZero();
        assertThat(status.writable()).isTrue();
    }

    @Test
    void aLinkShowsItsAddressItsCreditAndItsMessages() throws Exception {
        Session session = client.createSession(false, Session.CLIENT_ACKNOWLEDGE);
        Queue queue = session.createQueue("links");
        MessageProducer producer = session.createProducer(queue);
        producer.send(session.createTextMessage("x"));
        MessageConsumer consumer = session.createConsumer(queue);
        Message received = consumer.receive(WAIT_MS);

        LinkStatus publisher = link(LinkStatus.PUBLISHER);
        assertThat(publisher.id()).isEqualTo(publisher.connection() + ".1");
        assertThat(publisher.connection()).isEqualTo(only().id());
        assertThat(publisher.address()).isEqualTo("links");
        assertThat(publisher.messages()).isEqualTo(1);
        assertThat(publisher.credit()).isPositive();
        assertThat(publisher.subscription()).isNull();
        assertThat(publisher.waitsFor()).isNull();
        LinkStatus reader = link(LinkStatus.CONSUMER);
        assertThat(reader.id()).isEqualTo(reader.connection() + ".2");
        assertThat(reader.address()).isEqualTo("links");
        assertThat(reader.messages()).isEqualTo(1);
        assertThat(reader.unsettled()).isEqualTo(1);
        assertThat(reader.subscription())
                .isEqualTo(broker.shard()
                        .lookup()
                        .readerOf(broker.shard().lookup().find("links"))
                        .id());

        received.acknowledge();
        await().until(() -> link(LinkStatus.CONSUMER).unsettled() == 0);
        assertThat(get(broker.connections().links(100, null, null, "elsewhere")).items())
                .isEmpty();
        assertThat(get(broker.connections().links(100, null, only().id(), "links"))
                        .items())
                .hasSize(2);
    }

    @Test
    void aPublisherToAFullAddressWaitsForRoomAndAConsumerWithoutPrefetchForCredit() throws Exception {
        Session session = client.createSession(false, Session.AUTO_ACKNOWLEDGE);
        Queue queue = session.createQueue("full");
        MessageProducer producer = session.createProducer(queue);
        for (int i = 0; i < QUOTA; i++) {
            producer.send(session.createTextMessage("x"));
        }
        await().untilAsserted(
                        () -> assertThat(link(LinkStatus.PUBLISHER).waitsFor()).isEqualTo(WaitsFor.ROOM));

        try (Connection pulling = connect("pulling", 0)) {
            Session pull = pulling.createSession(false, Session.AUTO_ACKNOWLEDGE);
            pull.createConsumer(pull.createQueue("idle"));
            await().untilAsserted(() ->
                    assertThat(link(LinkStatus.CONSUMER).waitsFor()).isEqualTo(WaitsFor.CREDIT));
        }
    }

    @Test
    void pagesHaveEachConnectionOnceInTheOrderInWhichTheyCame() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 7; i++) {
                sockets.add(new Socket("127.0.0.1", broker.port()));
            }
            await().until(() -> broker.counters().connections.sum() == 8);

            List<Long> numbers = new ArrayList<>();
            String next = null;
            do {
                Snapshot<ConnectionStatus> page = get(broker.connections().connections(3, next, null));
                assertThat(page.items()).hasSizeLessThanOrEqualTo(3);
                assertThat(page.silent()).isNull();
                page.items().forEach(each -> numbers.add(Long.valueOf(each.id().substring(1))));
                next = page.next();
            } while (next != null);
            assertThat(numbers).hasSize(8).doesNotHaveDuplicates().isSorted();
            assertThat(get(broker.connections().connections(10, null, "DESK")).items())
                    .extracting(ConnectionStatus::container)
                    .containsExactly("desk");
            assertThat(get(broker.connections().connections(8, null, null)).next())
                    .isNull();
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void aPartDescribesNoMoreThanItMayShowInWhicheverOrder() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                sockets.add(new Socket("127.0.0.1", broker.port()));
            }
            await().until(() -> broker.counters().connections.sum() == 21);
            List<OpenClient> clients = broker.connections().all().stream()
                    .<OpenClient>map(transport -> transport)
                    .sorted(Comparator.comparingLong(OpenClient::number))
                    .toList();
            List<Long> numbers = clients.stream().map(OpenClient::number).toList();
            AtomicInteger described = new AtomicInteger();

            Snapshot<Long> first = get(new Gathering<Long>(2, Cursor.of(null), true, (client, found) -> {
                        long number = client.number();
                        found.add(new Cursor(number, 0, 0), () -> {
                            described.incrementAndGet();
                            return number;
                        });
                    })
                    .among(clients));
            assertThat(first.items()).isEqualTo(numbers.subList(0, 2));
            assertThat(described.get()).isLessThanOrEqualTo(3 * LOOPS);

            Snapshot<Long> newest = get(new Gathering<Long>(2, Cursor.of(null), false, (client, found) -> {
                        long number = client.number();
                        found.add(new Cursor(Integer.MAX_VALUE - number, 0, 0), () -> number);
                    })
                    .among(clients));
            assertThat(newest.items()).containsExactly(numbers.get(20), numbers.get(19));
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void pagesOfLinksGoOnWithinAConnection() throws Exception {
        Session session = client.createSession(false, Session.AUTO_ACKNOWLEDGE);
        for (int i = 0; i < 5; i++) {
            session.createProducer(session.createQueue("page" + i));
        }
        List<String> addresses = new ArrayList<>();
        String next = null;
        do {
            Snapshot<LinkStatus> page = get(broker.connections().links(2, next, null, null));
            page.items().forEach(link -> addresses.add(link.address()));
            next = page.next();
        } while (next != null);

        assertThat(addresses).containsExactly("page0", "page1", "page2", "page3", "page4");
    }

    @Test
    void whatIsNoCursorAndNoIdIsRefused() {
        OpenConnections open = broker.connections();
        assertRefused(() -> open.connections(1, "c1", null), "RT-4377");
        assertRefused(() -> open.close("c999999", BY), "RT-4375");
        assertRefused(() -> open.close("17", BY), "RT-4375");
        assertRefused(() -> open.detach(only().id(), BY), "RT-4375");
        assertRefused(() -> get(open.detach(only().id() + ".99", BY)), "RT-4375");
        assertRefused(() -> get(open.rollBack(only().id() + ".t99", BY)), "RT-4375");
    }

    @Test
    void anEventLoopThatDoesNotAnswerIsNamedAndTheOthersAreThere() throws Exception {
        try (Connection other = connect("other", PREFETCH)) {
            assertThat(other.getClientID()).isEqualTo("other");
            CountDownLatch stuck = new CountDownLatch(1);
            try {
                AmqpTransport held = broker.connections().all().iterator().next();
                EventLoop loop = held.channel().eventLoop();
                loop.submit(() -> stuck.await(WAIT_MS, TimeUnit.MILLISECONDS));

                Snapshot<ConnectionStatus> snapshot = get(broker.connections().connections(100, null, null));

                assertThat(snapshot.silent()).containsExactly(held.socket().loop());
                assertThat(snapshot.items())
                        .extracting(ConnectionStatus::id)
                        .containsExactlyElementsOf(broker.connections().all().stream()
                                .filter(each -> each.channel().eventLoop() != loop)
                                .map(each -> each.socket().id())
                                .toList());
                assertRefused(() -> get(broker.connections().close(held.socket().id(), BY)), "RT-4376");
            } finally {
                stuck.countDown();
            }
        }
    }
}
