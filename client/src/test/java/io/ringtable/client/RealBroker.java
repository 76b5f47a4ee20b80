package io.ringtable.client;

import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.TestSettings;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.work.CommitMonitor;
import java.nio.file.Path;
import java.time.Duration;

/** The broker itself, in this process, on a SQLite file in a directory of the test's. */
public final class RealBroker implements AutoCloseable {

    private final RingtableBroker broker;

    private RealBroker(StoreSettings store, TestSettings settings) {
        broker = new RingtableBroker(store, settings.shard(), settings.amqp(), settings.logins(), CommitMonitor.NONE);
    }

    static RealBroker start(Path directory) {
        return start(directory, TestSettings.of());
    }

    static RealBroker start(Path directory, TestSettings settings) {
        return start(StoreSettings.embedded(directory), settings);
    }

    static RealBroker start(StoreSettings store, TestSettings settings) {
        return new RealBroker(store, settings).started();
    }

    /** @param messages most messages owed on an address */
    static RealBroker withQuota(Path directory, long messages) {
        return start(directory, TestSettings.of("ringtable.commit.quota-messages", messages));
    }

    /** Its topics keep their messages for an hour. */
    static RealBroker keeping(Path directory) {
        return start(
                directory,
                TestSettings.of(
                        "ringtable.dispatch.addresses[0].match", "#",
                        "ringtable.dispatch.addresses[0].retention-age", "1h"));
    }

    private RealBroker started() {
        broker.start();
        return this;
    }

    int port() {
        return broker.amqpPort();
    }

    RingtableBroker broker() {
        return broker;
    }

    /** Returns how many logins sent their password. */
    long passwordsChecked() {
        return broker.amqpCounters().loginsHashed.sum();
    }

    String uri() {
        return "amqp://127.0.0.1:" + port();
    }

    ClientBuilder client() {
        return client(port());
    }

    /** @param port the broker's, or that of something in front of it */
    public static ClientBuilder client(int port) {
        return RingtableClient.builder()
                .uri("amqp://127.0.0.1:" + port)
                .reconnect(Reconnect.DEFAULT.firstDelay(Duration.ofMillis(20)).longestDelay(Duration.ofMillis(200)));
    }

    /**
     * Begins to move a queue to the next of so many shards, unless it is on its way already. Publishers go there when
     * this returns.
     */
    void move(String queue, int shards) {
        if (broker.shard().moveOf(queue) == null) {
            Address address = broker.shard().lookup().find(queue);
            broker.shard()
                    .catalog()
                    .move(address, (ShardIds.shardOf(address.id()) + 1) % shards, false)
                    .toCompletableFuture()
                    .join();
        }
    }

    @Override
    public void close() {
        broker.close();
    }
}
