package io.ringtable.broker.amqp;

import io.ringtable.broker.EngineSettings;
import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.commit.CommitMonitor;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.store.jdbc.StoreSettings;
import jakarta.jms.ConnectionFactory;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.apache.qpid.jms.JmsConnectionFactory;

/** A real broker on a SQLite file of its own, on a free port. */
final class TestBroker implements AutoCloseable {
    private final RingtableBroker broker;

    private TestBroker(Path directory, EngineSettings engine, AmqpSettings settings) {
        broker = new RingtableBroker(StoreSettings.embedded(directory), engine, settings, CommitMonitor.NONE);
    }

    static TestBroker start(Path directory) {
        return start(directory, settings -> settings);
    }

    static TestBroker start(Path directory, UnaryOperator<AmqpSettings.Builder> change) {
        return start(directory, EngineSettings.DEFAULTS, change);
    }

    static TestBroker start(Path directory, EngineSettings engine, UnaryOperator<AmqpSettings.Builder> change) {
        TestBroker started = new TestBroker(
                directory, engine, change.apply(AmqpSettings.builder().port(0)).build());
        started.broker.start();
        return started;
    }

    int port() {
        return broker.amqpPort();
    }

    Shard shard() {
        return broker.shard();
    }

    AmqpCounters counters() {
        return broker.amqpCounters();
    }

    ConnectionFactory jms() {
        return jms("");
    }

    /** @param options of the URL, after its question mark */
    ConnectionFactory jms(String options) {
        return new JmsConnectionFactory("amqp://127.0.0.1:" + port() + "?" + options);
    }

    @Override
    public void close() {
        broker.close();
    }
}
