package io.ringtable.broker.store.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.store.StoreFailure;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Opens the pool of a store, which serves all but the writer. Thread: any. */
final class ReaderPool {
    private static final int TIMEOUT_MIN_MS = 250; // Hikari's own lower bound

    private ReaderPool() {}

    static HikariDataSource open(StoreSettings store, Dialect dialect) {
        StoreProperties settings = store.properties();
        long waitMs = Math.max(TIMEOUT_MIN_MS, settings.connectTimeout().toMillis());
        HikariConfig config = new HikariConfig();
        config.setPoolName("ringtable-" + dialect.engine() + (store.shardId() == 0 ? "" : "-" + store.shardId()));
        config.setDataSource(new Patient(dialect, settings.connectTimeout()));
        config.setMaximumPoolSize(settings.readersMax());
        config.setMinimumIdle(1);
        config.setConnectionTimeout(waitMs);
        config.setValidationTimeout(Math.max(TIMEOUT_MIN_MS, waitMs / 2)); // a server that stands still is left
        config.setInitializationFailTimeout(-1); // whoever opens the store has connected already
        return new HikariDataSource(config);
    }

    /**
     * Tries again while the database is away. The pool's own pauses between two tries grow to 10 s, which would be
     * added to each outage.
     * <p>
     * Thread: the pool's, which an end of the pool interrupts.
     */
    private record Patient(Dialect dialect, Duration most) implements DataSource {
        private static final long PAUSE_NANOS = Duration.ofMillis(50).toNanos();
        private static final long PAUSE_NANOS_MAX = Duration.ofMillis(400).toNanos(); // each try costs several logins

        @Override
        public Connection getConnection() throws SQLException {
            long until = System.nanoTime() + most.toNanos();
            for (long pause = PAUSE_NANOS; ; pause = Math.min(2 * pause, PAUSE_NANOS_MAX)) {
                try {
                    return dialect.dataSource().getConnection();
                } catch (SQLException e) {
                    if (dialect.classify(e) != StoreFailure.Kind.UNAVAILABLE
                            || System.nanoTime() - until >= 0
                            || Thread.currentThread().isInterrupted()) {
                        throw e;
                    }
                }
                LockSupport.parkNanos(pause);
            }
        }

        @Override
        public Connection getConnection(String username, String password) throws SQLException {
            return getConnection(); // the source has its own
        }

        @Override
        public int getLoginTimeout() {
            return (int) Math.max(1, most.toSeconds()); // how long an end of the pool waits for a try
        }

        @Override
        public void setLoginTimeout(int seconds) {
            // The source has its own.
        }

        @Override
        public PrintWriter getLogWriter() {
            return null;
        }

        @Override
        public void setLogWriter(PrintWriter writer) {
            // Nobody writes there.
        }

        @Override
        public Logger getParentLogger() throws SQLFeatureNotSupportedException {
            throw new SQLFeatureNotSupportedException();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            throw new SQLException("no " + type);
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }
}
