package io.ringtable.broker.amqp;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** On a node whose neighbour has all addresses: clients notice nothing. */
class FrontJmsScenarioTest extends JmsScenarioContract {
    @TempDir
    private Path directory;

    private TwoNodes nodes; // null before the first start

    @Override
    TestDatabase database() throws Exception {
        return PostgresqlTestDatabase.migrated();
    }

    @Override
    TestSettings settings() {
        return TwoNodes.settings()
                .with(
                        "ringtable.queues", "orders,shared,q,large,small-only,again,prefetched,volatile",
                        "ringtable.topics", "prices,news,t");
    }

    @Override
    TestBroker start(StoreSettings store, TestSettings settings) {
        if (nodes == null) {
            nodes = new TwoNodes(directory, store, settings);
            nodes.awaitKnown("volatile");
            nodes.awaitKnown("t");
        } else {
            nodes.startFront();
        }
        return nodes.front;
    }

    @AfterEach
    void stop() {
        if (nodes != null) {
            nodes.close();
        }
    }
}
