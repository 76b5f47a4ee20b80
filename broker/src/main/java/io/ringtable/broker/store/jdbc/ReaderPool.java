package io.ringtable.broker.store.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.ringtable.broker.config.StoreProperties;

/** Opens the pool of a store, which serves all but the writer. Thread: any. */
final class ReaderPool {
    private static final int CONNECTION_TIMEOUT_MIN_MS = 250; // Hikari's own lower bound

    private ReaderPool() {}

    static HikariDataSource open(StoreSettings store, Dialect dialect) {
        StoreProperties settings = store.properties();
        HikariConfig config = new HikariConfig();
        config.setPoolName("ringtable-" + dialect.engine() + (store.shardId() == 0 ? "" : "-" + store.shardId()));
        config.setDataSource(dialect.dataSource());
        config.setMaximumPoolSize(settings.readersMax());
        config.setMinimumIdle(1);
        config.setConnectionTimeout(
                Math.max(CONNECTION_TIMEOUT_MIN_MS, settings.connectTimeout().toMillis()));
        config.setInitializationFailTimeout(-1); // whoever opens the store has connected already
        return new HikariDataSource(config);
    }
}
