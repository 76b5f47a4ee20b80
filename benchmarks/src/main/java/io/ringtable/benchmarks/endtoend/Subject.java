package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.endtoend.driver.Driver;
import java.util.Map;
import java.util.function.Consumer;

/** Serves the clients of a load: a broker in a process of its own, or tables in a database. Thread: main. */
interface Subject extends AutoCloseable {

    /**
     * Returns what opens the clients.
     *
     * @param failed takes what ends a consumer that the driver runs itself
     */
    Driver driver(Scenario scenario, Consumer<Throwable> failed);

    /** Returns what the subject itself says about the durability of an accepted message; refuses less than full. */
    String durability();

    ProcessMeter broker();

    /** Returns the database's server; an embedded engine is in the process of the broker or of the clients. */
    ProcessMeter database();

    /** Returns the broker's metrics without tags, by Prometheus' names; empty if there are none. */
    Map<String, Double> metrics();

    /** Returns how often a client began a transaction anew; 0 where the clients have none. */
    long retries();

    @Override
    void close();
}
