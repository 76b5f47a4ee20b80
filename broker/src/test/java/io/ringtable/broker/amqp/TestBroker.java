package io.ringtable.broker.amqp;

import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.ShardSettings;
import io.ringtable.broker.TestSettings;
import io.ringtable.broker.access.AccessRules;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.inspect.Inspector;
import io.ringtable.broker.job.Jobs;
import io.ringtable.broker.management.Management;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.sqlite.SqliteTestDatabase;
import io.ringtable.broker.watermark.Watermarks;
import io.ringtable.broker.work.CommitMonitor;
import jakarta.jms.ConnectionFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.qpid.jms.JmsConnectionFactory;

/** A real broker on a free port; on a SQLite file of its own unless a test names another store. */
final class TestBroker implements AutoCloseable {
    private final RingtableBroker broker;

    private TestBroker(StoreSettings store, TestSettings settings, Watermarks watermarks) {
        ShardSettings shard = settings.shard();
        laySchema(store, shard.shards());
        broker = new RingtableBroker(store, shard, settings.amqp(), settings.logins(), CommitMonitor.NONE, watermarks);
    }

    /** Lays the schema for a broker that starts on new files. To make it there would be the most of a start. */
    private static void laySchema(StoreSettings store, int shards) {
        if (store.properties().url() == null && Files.notExists(store.dataDir().resolve("ringtable.db"))) {
            for (int shard = 0; shard < shards; shard++) {
                SqliteTestDatabase.layMigrated(store.dataDir(), shard);
            }
        }
    }

    static TestBroker start(StoreSettings store) {
        return start(store, TestSettings.of());
    }

    static TestBroker start(StoreSettings store, TestSettings settings) {
        return start(store, settings, Watermarks.none());
    }

    static TestBroker start(Path directory) {
        return start(directory, TestSettings.of());
    }

    static TestBroker start(Path directory, TestSettings settings) {
        return start(directory, settings, Watermarks.none());
    }

    static TestBroker start(Path directory, TestSettings settings, Watermarks watermarks) {
        return start(StoreSettings.embedded(directory), settings, watermarks);
    }

    private static TestBroker start(StoreSettings store, TestSettings settings, Watermarks watermarks) {
        TestBroker started = new TestBroker(store, settings, watermarks);
        started.broker.start();
        return started;
    }

    int port() {
        return broker.amqpPort();
    }

    Shard shard() {
        return broker.shard();
    }

    Inspector inspector() {
        return broker.inspector();
    }

    Jobs jobs() {
        return broker.jobs();
    }

    BrokerStatus status() {
        return broker.status();
    }

    OpenConnections connections() {
        return broker.connections();
    }

    AmqpCounters counters() {
        return broker.amqpCounters();
    }

    Management management() {
        return broker.management();
    }

    void accessRules(AccessRules rules) {
        broker.accessRules(rules);
    }

    ConnectionFactory jms() {
        return jms("");
    }

    /** @param options of the URL, after its question mark */
    ConnectionFactory jms(String options) {
        return new JmsConnectionFactory("amqp://127.0.0.1:" + port() + "?" + options);
    }

    /** Logs in as a user, by whatever mechanism the client chooses. */
    ConnectionFactory jms(String user, String password) {
        return new JmsConnectionFactory(user, password, "amqp://127.0.0.1:" + port());
    }

    @Override
    public void close() {
        broker.close();
    }
}
