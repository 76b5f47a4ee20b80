package io.ringtable.broker.amqp;

import static org.awaitility.Awaitility.await;

import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.ShardSettings;
import io.ringtable.broker.TestSettings;
import io.ringtable.broker.access.AccessRules;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.inspect.Inspector;
import io.ringtable.broker.job.Jobs;
import io.ringtable.broker.management.Management;
import io.ringtable.broker.message.PartKey;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.status.NodesStatus;
import io.ringtable.broker.status.ShardStatus;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.sqlite.SqliteTestDatabase;
import io.ringtable.broker.watermark.Watermarks;
import io.ringtable.broker.work.CommitMonitor;
import jakarta.jms.ConnectionFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
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

    // ---- as a node of a cluster

    /** Returns where clients reach the node. */
    String url() {
        return "amqp://127.0.0.1:" + port();
    }

    /** Returns the id that other nodes know it by. */
    String id() {
        return status().nodes().nodes().stream()
                .filter(NodesStatus.Node::self)
                .findFirst()
                .orElseThrow()
                .id();
    }

    /** Returns the shards that it owns and serves. */
    List<Integer> owned() {
        return numbers(ShardStatus::isActive);
    }

    /** Returns the shards of which it says that another node, which it names, has them. */
    List<Integer> elsewhere() {
        return numbers(ShardStatus::isElsewhere);
    }

    private List<Integer> numbers(Predicate<ShardStatus> which) {
        return status().shards().stream().filter(which).map(ShardStatus::number).toList();
    }

    /** Waits until it serves these shards, and no other ones. */
    void awaitOwned(Integer... shards) {
        await().until(this::owned, List.of(shards)::equals);
    }

    /** Waits until it knows where clients reach the owner of a shard, which is another node. */
    void awaitOwner(int shard) {
        await().until(() -> {
            ShardStatus seen = status().shards().get(shard);
            return seen.isElsewhere() && seen.owner().url() != null;
        });
    }

    /** Returns the shard that an address lives in. */
    int shardOf(String name) {
        return ShardIds.shardOf(shard().lookup().find(name).id());
    }

    /** Returns a key whose messages go to the part of a queue in that shard. */
    String keyOf(String queue, int shard) {
        Parts parts = shard().partsOf(shard().lookup().find(queue));
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "key" + i)
                .filter(key -> ShardIds.shardOf(parts.of(PartKey.of(key)).id()) == shard)
                .findFirst()
                .orElseThrow();
    }

    // ---- clients

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
