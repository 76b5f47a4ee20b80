package io.ringtable.broker.amqp;

import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A cluster of two nodes. One owns shard 0, and has all addresses that it was told. The other one owns shard 1, and its
 * clients reach these addresses through it.
 */
final class TwoNodes extends TestCluster {
    volatile TestBroker front; // written by whoever starts it, as the next
    volatile TestBroker owner;

    private final Object[] ofFront;

    /**
     * Starts both.
     *
     * @param settings of both; {@code ringtable.queues} and {@code ringtable.topics} are the owner's
     * @param ofFront what the front has in another way
     */
    TwoNodes(TestSettings settings, Object... ofFront) throws SQLException {
        super(settings);
        this.ofFront = ofFront;
        begin();
    }

    /** Starts both on a database. */
    TwoNodes(PostgresqlTestDatabase database, TestSettings settings) {
        super(database, settings);
        this.ofFront = new Object[0];
        begin();
    }

    /** Starts both at once. If one fails, neither stays. */
    private void begin() {
        CompletableFuture<Void> ofOwner = CompletableFuture.runAsync(this::startOwner);
        try {
            startFront();
            ofOwner.join();
        } catch (Throwable failure) {
            ofOwner.exceptionally(also -> null).join();
            close();
            throw failure;
        }
    }

    /** Returns what both need beside a store. */
    static TestSettings settings() {
        return settings(2, "6s") // longer than other load keeps a node from renewing
                .with(
                        "ringtable.cluster.user",
                        FrontPeer.NODE_USER,
                        "ringtable.cluster.password",
                        "of " + FrontPeer.NODE_USER);
    }

    /** Starts the owner, for the first time or once more. */
    void startOwner() {
        owner = start("owner", "0");
        owner.awaitOwned(0);
    }

    /** Starts the front, for the first time or once more. */
    void startFront() {
        front = start(
                "front",
                settings.with(SHARDS, 1, "ringtable.queues", null, "ringtable.topics", null)
                        .with(ofFront));
        front.awaitOwned(1);
    }

    /** Stops the owner, and waits until the front sees that nobody has its shard. */
    void stopOwner() {
        stop("owner");
        await().until(() -> !front.status().shards().get(0).isElsewhere());
    }

    List<TestBroker> both() {
        return List.of(owner, front);
    }

    TestBroker other(TestBroker node) {
        return node == owner ? front : owner;
    }

    /** Waits until both know an address of one home, and where that is. */
    void awaitKnown(String address) {
        awaitKnown(address, 1);
    }
}
