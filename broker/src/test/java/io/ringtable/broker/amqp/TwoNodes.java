package io.ringtable.broker.amqp;

import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.status.ShardStatus;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.nio.file.Path;

/**
 * Two brokers on one database of PostgreSQL. One owns shard 0, and has all addresses that it was told. The other one
 * owns shard 1, and its clients reach these addresses through it.
 */
final class TwoNodes implements AutoCloseable {
    static final String OWNERS = "ringtable.cluster.shards";

    TestBroker front;
    TestBroker owner;

    private final Path directory;
    private final StoreSettings store;
    private final TestSettings settings;
    private final Object[] ofFront;

    /**
     * Starts both.
     *
     * @param store that they share
     * @param settings of both; queues and topics are the owner's
     * @param ofFront what the front has in another way
     */
    TwoNodes(Path directory, StoreSettings store, TestSettings settings, Object... ofFront) {
        this.directory = directory;
        this.store = store;
        this.settings = settings;
        this.ofFront = ofFront;
        startOwner();
        startFront();
    }

    /** Returns what both need beside a store. */
    static TestSettings settings() {
        return TestSettings.of(
                "ringtable.shards",
                2,
                "ringtable.lease",
                "6s", // longer than other load keeps a node from renewing
                "ringtable.cluster.enabled",
                true,
                "ringtable.cluster.user",
                FrontPeer.NODE_USER,
                "ringtable.cluster.password",
                "of " + FrontPeer.NODE_USER);
    }

    /** Starts the owner, for the first time or once more. */
    void startOwner() {
        owner = start("owner", settings.with(OWNERS, 0));
        await().until(() -> isOwned(owner, 0));
    }

    /** Starts the front, for the first time or once more. */
    void startFront() {
        front = start(
                "front",
                settings.with(OWNERS, 1, "ringtable.queues", null, "ringtable.topics", null)
                        .with(ofFront));
        await().until(() -> isOwned(front, 1));
    }

    private TestBroker start(String name, TestSettings its) {
        return TestBroker.start(new StoreSettings(store.properties(), directory.resolve(name)), its);
    }

    private static boolean isOwned(TestBroker node, int shard) {
        return node.status().shards().stream().filter(ShardStatus::isActive).anyMatch(each -> each.number() == shard);
    }

    /** Waits until the front knows an address of the owner, and where the owner is. */
    void awaitKnown(String address) {
        await().until(() -> {
            Address known = front.shard().lookup().find(address);
            return known != null
                    && ShardIds.shardOf(known.id()) == 0
                    && front.shard().homeOf(known).elsewhere() != null
                    && front.shard().homeOf(known).elsewhere().url() != null;
        });
    }

    @Override
    public void close() {
        front.close();
        owner.close();
    }
}
