package io.ringtable.client.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Finds the connection that Spring has bound to the calling thread's transaction. This class alone knows Spring, and no
 * class loads it where Spring is absent.
 * <p>
 * Thread: the caller's; holds nothing.
 */
final class SpringTransaction {
    private SpringTransaction() {}

    static void join(DataSource dataSource, Consumer<Connection> action) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw InboxErrors.noTransaction("the thread is in none");
        }
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            // A transaction of another data source has its connection here too, but in auto-commit mode.
            if (connection.getAutoCommit() || !DataSourceUtils.isConnectionTransactional(connection, dataSource)) {
                throw InboxErrors.noTransaction("the thread's transaction is on another data source");
            }
            action.accept(connection);
        } catch (SQLException e) {
            throw InboxErrors.noTransaction("its connection does not answer: " + e.getMessage());
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }
}
