package io.ringtable.broker.amqp;

import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.ShardSettings;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.settings.AmqpSettings;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.watermark.Watermarks;
import io.ringtable.broker.work.CommitMonitor;
import jakarta.jms.ConnectionFactory;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.apache.qpid.jms.JmsConnectionFactory;

/** A real broker on a free port; on a SQLite file of its own unless a test names another store. */
final class TestBroker implements AutoCloseable {
    private final RingtableBroker broker;

    private TestBroker(StoreSettings store, ShardSettings engine, AmqpSettings settings, Watermarks watermarks) {
        broker = new RingtableBroker(store, engine, settings, CommitMonitor.NONE, watermarks);
    }

    static TestBroker start(StoreSettings store) {
        return start(store, settings -> settings);
    }

    static TestBroker start(StoreSettings store, UnaryOperator<AmqpSettings.Builder> change) {
        return start(store, ShardSettings.DEFAULTS, change);
    }

    static TestBroker start(Path directory) {
        return start(directory, settings -> settings);
    }

    static TestBroker start(Path directory, UnaryOperator<AmqpSettings.Builder> change) {
        return start(directory, ShardSettings.DEFAULTS, change);
    }

    static TestBroker start(Path directory, ShardSettings engine, UnaryOperator<AmqpSettings.Builder> change) {
        return start(StoreSettings.embedded(directory), engine, change);
    }

    static TestBroker start(
            Path directory, ShardSettings engine, UnaryOperator<AmqpSettings.Builder> change, Watermarks watermarks) {
        return start(StoreSettings.embedded(directory), engine, change, watermarks);
    }

    private static TestBroker start(
            StoreSettings store, ShardSettings engine, UnaryOperator<AmqpSettings.Builder> change) {
        return start(store, engine, change, Watermarks.none());
    }

    private static TestBroker start(
            StoreSettings store,
            ShardSettings engine,
            UnaryOperator<AmqpSettings.Builder> change,
            Watermarks watermarks) {
        TestBroker started = new TestBroker(
                store, engine, change.apply(AmqpSettings.builder().port(0)).build(), watermarks);
        started.broker.start();
        return started;
    }

    int port() {
        return broker.amqpPort();
    }

    Shard shard() {
        return broker.shard();
    }

    BrokerStatus status() {
        return broker.status();
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
