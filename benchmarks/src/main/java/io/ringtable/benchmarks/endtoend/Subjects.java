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
        BrokerProcess process = BrokerProcess.start(broker, directory.resolve("data"), jvm, arguments);
        return new BrokerSubject(process.awaitListening(), store, broker.clients(), spans);
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
