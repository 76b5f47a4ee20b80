package io.ringtable.broker.amqp;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import org.junit.jupiter.api.AfterEach;

/** On a node whose neighbour has all addresses: clients notice nothing. */
class FrontJmsScenarioTest extends JmsScenarioContract {
    private PostgresqlTestDatabase database;
    private TwoNodes nodes; // null before the first start

    @Override
    TestDatabase database() throws Exception {
        database = PostgresqlTestDatabase.migrated();
        return database;
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
            nodes = new TwoNodes(database, settings);
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
            nodes.stopAll();
        }
    }
}
