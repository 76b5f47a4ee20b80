package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A shard goes from node to node, and clients keep their connections (ADR 70, ADR 72). */
@Timeout(300)
class HandoverScenarioTest {
    private static final int ROUNDS = Integer.getInteger("handover.rounds", 1); // from B to C and back
    private static final int MOVED = 3; // the shard
    private static final int BETWEEN = 30; // messages of each publisher between two moves
    private static final int AHEAD = 2; // messages that a publisher is ahead of its consumer: they settle in time
    private static final long WAIT_MS = 60_000;
    /** Is how long a client waits before it asks for what there is: brief, so that many drains meet a move. */
    private static final long POLL_MS = 1;

    @AutoClose
    private TestCluster nodes;

    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final AtomicBoolean isPublished = new AtomicBoolean(); // all of it
    private final List<Publisher> publishers = new ArrayList<>();
    private final List<Exception> lost = new CopyOnWriteArrayList<>(); // what clients heard of their connections

    @BeforeEach
    void start() throws Exception {
        nodes = new TestCluster(TestCluster.settings(4, "2s"));
        nodes.start("b", "1,3").awaitOwned(1, 3);
        nodes.start("a", "0,3").awaitOwned(0);
        nodes.start("c", "2,3").awaitOwned(2);
        nodes.awaitSeen();
    }

    @AfterEach
    void stop() {
        isOver.set(true);
        isPublished.set(true);
        publishers.forEach(publisher -> publisher.ahead.release());
        executor.shutdownNow();
    }

    /** Makes queues at a node until so many of them are in the shard that moves, and the front knows them. */
    private List<String> queues(int count) throws Exception {
        List<String> queues = QueuesOf.shard(nodes.node("b"), MOVED, count);
        await().until(() -> queues.stream()
                .allMatch(queue -> nodes.node("a").shard().lookup().find(queue) != null));
        return queues;
    }

    private void move(String from, String to) {
        ShardMove.move(nodes.database, MOVED, nodes.node(from), nodes.node(to), "");
    }

    private Connection connect(String node) throws JMSException {
        Connection connection = nodes.node(node).jms().createConnection();
        connection.setExceptionListener(heard -> {
            if (!String.valueOf(heard.getMessage()).contains("amqp:transaction:rollback")) {
                lost.add(heard);
            }
        });
        connection.start();
        return connection;
    }

    /** Publishes until the test is over. Counts what was accepted, and notes the longest wait for an outcome. */
    private final class Publisher {
        private final AtomicInteger accepted = new AtomicInteger();
        private final Semaphore ahead = new Semaphore(AHEAD);
        private final AtomicLong longest = new AtomicLong(); // ns, since the last move

        CompletableFuture<Void> on(String node, String queue, boolean anonymous, boolean transacted) {
            return CompletableFuture.runAsync(
                    () -> {
                        try (Connection connection = connect(node)) {
                            Session session = connection.createSession(
                                    transacted, transacted ? Session.SESSION_TRANSACTED : Session.AUTO_ACKNOWLEDGE);
                            Queue destination = session.createQueue(queue);
                            MessageProducer producer = session.createProducer(anonymous ? null : destination);
                            while (!isOver.get()) {
                                ahead.acquireUninterruptibly();
                                long begun = System.nanoTime();
                                TextMessage message = session.createTextMessage(String.valueOf(accepted.get()));
                                if (anonymous) {
                                    producer.send(destination, message);
                                } else {
                                    producer.send(message);
                                }
                                if (transacted && !commit(session)) {
                                    ahead.release();
                                    continue;
                                }
                                accepted.incrementAndGet();
                                long took = System.nanoTime() - begun;
                                longest.accumulateAndGet(took, Math::max);
                            }
                        } catch (JMSException e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    executor);
        }
    }

    /** Commits. @return false if the broker has rolled the transaction back */
    private static boolean commit(Session session) throws JMSException {
        try {
            session.commit();
            return true;
        } catch (JMSException e) {
            assertThat(e).hasMessageContaining("amqp:transaction:rollback");
            return false;
        }
    }

    /** Receives until the test is over. */
    private CompletableFuture<List<String>> consume(String node, String queue, Publisher publisher) {
        return CompletableFuture.supplyAsync(
                () -> {
                    List<String> received = new ArrayList<>();
                    try (Connection connection = connect(node)) {
                        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                        MessageConsumer consumer = session.createConsumer(session.createQueue(queue));
                        while (!isPublished.get() || received.size() < publisher.accepted.get()) {
                            TextMessage message = (TextMessage) consumer.receive(POLL_MS);
                            if (message != null) {
                                received.add(message.getText());
                                publisher.ahead.release();
                            }
                        }
                        assertThat(consumer.receiveNoWait()).isNull();
                    } catch (JMSException e) {
                        throw new IllegalStateException(e);
                    }
                    return received;
                },
                executor);
    }

    /** The clients of node A have a front, those of node B are at the first owner. Three publish in different ways. */
    @Test
    void clientsKeepTheirConnectionsWhileTheirShardGoesFromNodeToNode() throws Exception {
        List<String> queues = queues(6);
        List<CompletableFuture<Void>> published = new ArrayList<>();
        List<CompletableFuture<List<String>>> received = new ArrayList<>();
        for (int i = 0; i < queues.size(); i++) {
            Publisher publisher = new Publisher();
            publishers.add(publisher);
            String node = i < 3 ? "a" : "b";
            published.add(publisher.on(node, queues.get(i), i % 3 == 1, i % 3 == 2));
            received.add(consume(node, queues.get(i), publisher));
        }
        List<Long> pauses = new ArrayList<>(); // ms

        List<String> way = new ArrayList<>(List.of("b"));
        IntStream.range(0, ROUNDS).forEach(round -> way.addAll(List.of("c", "b")));
        way.add("a");
        for (int i = 1; i < way.size(); i++) {
            awaitProgress(published, received);
            publishers.forEach(publisher -> publisher.longest.set(0));
            move(way.get(i - 1), way.get(i));
            awaitProgress(published, received);
            publishers.forEach(publisher -> pauses.add(TimeUnit.NANOSECONDS.toMillis(publisher.longest.get())));
        }
        isOver.set(true);
        for (CompletableFuture<Void> each : published) {
            each.get(WAIT_MS, TimeUnit.MILLISECONDS);
        }
        isPublished.set(true);

        for (int i = 0; i < queues.size(); i++) {
            assertThat(received.get(i).get(WAIT_MS, TimeUnit.MILLISECONDS))
                    .isEqualTo(IntStream.range(0, publishers.get(i).accepted.get())
                            .mapToObj(String::valueOf)
                            .toList());
        }
        assertThat(lost).isEmpty();
        Collections.sort(pauses);
        System.out.printf(
                "%d pauses of publishers: median %d ms, longest %d ms%n",
                pauses.size(), pauses.get(pauses.size() / 2), pauses.get(pauses.size() - 1));
    }

    private void awaitProgress(
            List<CompletableFuture<Void>> published, List<CompletableFuture<List<String>>> received) {
        List<Integer> before =
                publishers.stream().map(each -> each.accepted.get()).toList();
        await().untilAsserted(() -> {
            assertThat(published).noneMatch(CompletableFuture::isDone);
            assertThat(received).noneMatch(CompletableFuture::isDone);
            assertThat(IntStream.range(0, publishers.size())
                            .filter(i -> publishers.get(i).accepted.get() <= before.get(i) + BETWEEN)
                            .mapToObj(i -> "publisher " + i + " has " + publishers.get(i).accepted + " accepted, "
                                    + before.get(i) + " before, and may send "
                                    + publishers.get(i).ahead.availablePermits() + " ahead; lost: " + lost))
                    .isEmpty();
        });
    }
}
