package io.ringtable.acceptance.freeze;

import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.DatabaseProxy;
import io.ringtable.acceptance.harness.PostgresServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Two brokers on one database, each behind a proxy of its own to it: one serves, the other stands by. */
final class Nodes {
    static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration MOST = Duration.ofSeconds(90);

    private final PostgresServer server;
    private final List<Node> nodes;

    /** One of the two. */
    record Node(BrokerProcess broker, DatabaseProxy proxy) {}

    /** @param server which a test freezes or not */
    Nodes(Bench bench, PostgresServer server) {
        this.server = server;
        String database = server.createDatabase();
        nodes = List.of(node(bench, database), node(bench, database));
        nodes.get(0).broker().start();
        nodes.get(1).broker().launch().awaitLog("standing by");
    }

    private Node node(Bench bench, String database) {
        DatabaseProxy proxy = bench.closing(new DatabaseProxy(server.port()));
        String url = database.replace(":" + server.port() + "/", ":" + proxy.port() + "/");
        return new Node(
                bench.broker(settings -> settings.store(url, server.username(), server.password())
                        .with("ringtable.lease", LEASE.toSeconds() + "s")
                        .with("ringtable.queues", FreezeRun.QUEUE)
                        .with("ringtable.topics", FreezeRun.TOPIC)
                        .with("ringtable.dispatch.deliveries-max", 1_000_000)),
                proxy);
    }

    PostgresServer server() {
        return server;
    }

    List<Integer> ports() {
        return nodes.stream().map(node -> node.broker().amqpPort()).toList();
    }

    Node other(Node node) {
        return node == nodes.get(0) ? nodes.get(1) : nodes.get(0);
    }

    /** The one that serves, once one does and the other stands by. Neither may be frozen. */
    Node awaitActive() {
        AtomicReference<Node> active = new AtomicReference<>();
        await("one node that serves, and one that stands by")
                .atMost(MOST)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> {
                    nodes.stream()
                            .filter(node -> node.broker().isReady())
                            .findAny()
                            .ifPresent(active::set);
                    return active.get() != null && other(active.get()).broker().isStandingBy();
                });
        return active.get();
    }
}
