package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.broker.config.StoreProperties;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts what a load runs on, each time with an empty store. Ringtable and the naive queues have databases of the same
 * engine. Thread: main.
 *
 * @param batchMax most messages in a commit of the batched naive queue
 * @param poll how long a naive consumer that has found nothing waits
 */
record Subjects(Databases databases, String engine, List<String> jvm, int batchMax, Duration poll) {
    private static final int NODES = 2; // of a cluster

    Subject start(Broker broker, Path directory) {
        if (broker.isNaive()) {
            int most = broker == Broker.NAIVE ? 1 : batchMax;
            return new NaiveSubject(databases.create(engine), most, poll);
        }
        // SQLite is the file in the broker's own directory.
        BenchmarkDatabase store = broker.isOurs() && !engine.equals(Databases.SQLITE) ? databases.create(engine) : null;
        List<String> arguments = arguments(store);
        arguments.addAll(broker.arguments());
        SpanSink spans = broker == Broker.TRACED ? SpanSink.open() : null;
        if (spans != null) {
            arguments.addAll(spans.arguments());
        }
        if (broker.login() != null) {
            arguments.addAll(broker.login().arguments());
        }
        if (broker.isCluster()) {
            return cluster(broker, directory, store, arguments);
        }
        BrokerProcess process = BrokerProcess.start(broker, directory.resolve("data"), jvm, arguments);
        return new BrokerSubject(process.awaitListening(), store, broker.clients(), spans);
    }

    /** Starts two nodes; the first one owns what the clients use. */
    private Subject cluster(Broker broker, Path directory, BenchmarkDatabase store, List<String> arguments) {
        if (store == null) {
            throw new IllegalArgumentException("brokers=" + broker.label()
                    + " needs a database that several nodes can use: engine=postgresql or engine=sqlserver");
        }
        List<BrokerProcess> nodes = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            List<String> ofNode = new ArrayList<>(arguments);
            ofNode.addAll(List.of(
                    "--ringtable.shards=" + NODES,
                    "--ringtable.cluster.enabled=true",
                    "--ringtable.cluster.shards=" + node));
            nodes.add(BrokerProcess.start(broker, directory.resolve("data-" + node), jvm, ofNode)
                    .awaitListening());
        }
        return new ClusterSubject(nodes, broker == Broker.RELAYED ? 1 : 0, store, broker.clients());
    }

    private static List<String> arguments(BenchmarkDatabase store) {
        List<String> arguments = new ArrayList<>();
        if (store != null) {
            StoreProperties properties = store.settings().properties();
            arguments.add("--ringtable.store.url=" + properties.url());
            arguments.add("--ringtable.store.username=" + properties.username());
            arguments.add("--ringtable.store.password=" + properties.password());
        }
        return arguments;
    }
}
