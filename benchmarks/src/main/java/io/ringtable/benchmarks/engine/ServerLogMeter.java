package io.ringtable.benchmarks.engine;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Reads the server's own position in its log: everything counts, page images after a checkpoint too. */
final class ServerLogMeter implements LogMeter {
    private final Connection connection;
    private final PreparedStatement position;

    ServerLogMeter(Connection connection, String sql) throws SQLException {
        this.connection = connection;
        this.position = connection.prepareStatement(sql);
    }

    @Override
    public long bytes() {
        try (ResultSet row = position.executeQuery()) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
