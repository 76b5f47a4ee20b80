package io.ringtable.benchmarks.design;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.List;

/** Runs a design whose sessions are procedures of the server: one call moves many messages. Thread: any. */
final class ProcedureDesign extends DesignDatabase {
    private final DesignFiles files;
    private final List<String> parts;

    ProcedureDesign(BenchmarkDatabase database, Design design, QueueShape shape, boolean durable) {
        super(database, shape, durable);
        this.files = new DesignFiles(database.engine());
        this.parts = design.parts(database.engine());
    }

    @Override
    void createTables() throws SQLException {
        try (Connection connection = database().connect();
                Statement statement = connection.createStatement();
                PreparedStatement fill = connection.prepareStatement(files.text("call_fill"))) {
            for (String part : parts) {
                for (String batch : files.text(part).split("(?m)^GO$")) { // SQL Server's tools separate batches so
                    statement.execute(batch);
                }
            }
            fill.setLong(1, shape().ringSize());
            fill.setInt(2, shape().bodyBytes());
            fill.execute();
        }
    }

    @Override
    Session pusher(Long pending) {
        return new Call("call_push", shape().subscribers(), pending);
    }

    @Override
    Session popper(int subscriber, Long pending) {
        return new Call("call_pop", subscriber, pending);
    }

    @Override
    Accounts accounts() {
        try (Connection connection = database().connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(files.text("call_accounts"))) {
            row.next();
            return new Accounts(row.getLong(1), row.getLong(2), row.getLong(3));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Holds the connection of a session, and its procedure: push and pop have the same parameters. */
    private final class Call implements Session {
        private final Connection connection;
        private final PreparedStatement call;
        private final int subscribers; // how many, or which one
        private Long pending;

        Call(String file, int subscribers, Long pending) {
            this.subscribers = subscribers;
            this.pending = pending;
            try {
                connection = connect();
                call = connection.prepareStatement(files.text(file));
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public Tally move(long most, Duration time, int batch) {
            try {
                call.setLong(1, most);
                call.setLong(2, time.toNanos() / 1_000);
                call.setInt(3, batch);
                call.setInt(4, shape().bodyBytes());
                call.setInt(5, subscribers);
                call.setLong(6, shape().ringSize());
                call.setObject(7, pending, Types.BIGINT);
                try (ResultSet row = call.executeQuery()) {
                    row.next();
                    pending = row.getObject(1, Long.class);
                    return new Tally(row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5), 0);
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public Long pending() {
            return pending;
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
}
