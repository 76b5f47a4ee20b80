package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.endtoend.driver.ClientSetup;
import io.ringtable.benchmarks.endtoend.driver.Driver;
import io.ringtable.benchmarks.endtoend.driver.JmsDriver;
import io.ringtable.benchmarks.endtoend.driver.SdkDriver;
import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import java.util.Map;
import java.util.function.Consumer;

/** Serves the clients from a broker's process, over AMQP. */
final class BrokerSubject implements Subject {
    private final BrokerProcess process;
    private final ClientSetup clients;
    private final SpanSink spans; // null without traces
    private final BenchmarkDatabase store; // null for a file or a journal in the broker's directory
    private final ProcessMeter database;

    BrokerSubject(BrokerProcess process, BenchmarkDatabase store, ClientSetup clients, SpanSink spans) {
        this.process = process;
        this.clients = clients;
        this.spans = spans;
        this.store = store;
        this.database = store == null ? ProcessMeter.NONE : ProcessMeter.of(store);
    }

    @Override
    public Driver driver(Scenario scenario, Consumer<Throwable> failed) {
        return scenario.sdk()
                ? new SdkDriver(process.port(), clients)
                : new JmsDriver(process.port(), scenario.underWayMax(), clients);
    }

    @Override
    public String durability() {
        return process.durability();
    }

    @Override
    public ProcessMeter broker() {
        return process.meter();
    }

    @Override
    public ProcessMeter database() {
        return database;
    }

    @Override
    public Map<String, Double> metrics() {
        return process.metrics();
    }

    @Override
    public long retries() {
        return 0;
    }

    @Override
    public void close() {
        process.close();
        if (store != null) {
            store.close();
        }
        if (spans != null) {
            spans.close(); // last: the broker exports what it has before it ends
        }
    }
}
