package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.endtoend.driver.ClientSetup;
import io.ringtable.benchmarks.endtoend.driver.Driver;
import io.ringtable.benchmarks.endtoend.driver.JmsDriver;
import io.ringtable.benchmarks.endtoend.driver.SdkDriver;
import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Serves the clients from one node of a cluster. The first node owns what they use. */
final class ClusterSubject implements Subject {
    private final List<BrokerProcess> nodes;
    private final BrokerProcess front;
    private final BenchmarkDatabase store;
    private final ClientSetup clients;
    private final ProcessMeter database;

    /** @param front number of the node at which the clients are */
    ClusterSubject(List<BrokerProcess> nodes, int front, BenchmarkDatabase store, ClientSetup clients) {
        this.nodes = nodes;
        this.front = nodes.get(front);
        this.store = store;
        this.clients = clients;
        this.database = ProcessMeter.of(store);
    }

    @Override
    public Driver driver(Scenario scenario, Consumer<Throwable> failed) {
        make(scenario);
        return scenario.sdk()
                ? new SdkDriver(front.port(), clients)
                : new JmsDriver(front.port(), scenario.underWayMax(), clients);
    }

    /** Makes the addresses at the first node: a new name lives where it is made. */
    private void make(Scenario scenario) {
        JmsDriver first = new JmsDriver(nodes.get(0).port(), scenario.underWayMax(), clients);
        for (int queue = 0; queue < scenario.queues(); queue++) {
            first.sender(scenario.destination(queue)).close();
        }
    }

    @Override
    public String durability() {
        return nodes.get(0).durability();
    }

    @Override
    public ProcessMeter broker() {
        return ProcessMeter.ofAll(nodes.stream().map(BrokerProcess::meter).toList());
    }

    @Override
    public ProcessMeter database() {
        return database;
    }

    @Override
    public Map<String, Double> metrics() {
        Map<String, Double> sums = new HashMap<>();
        nodes.forEach(node -> node.metrics().forEach((name, value) -> sums.merge(name, value, Double::sum)));
        return sums;
    }

    @Override
    public long retries() {
        return 0;
    }

    @Override
    public void close() {
        nodes.forEach(BrokerProcess::close);
        store.close();
    }
}
