package io.ringtable.benchmarks.design;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.engine.Databases;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/** Runs a design in SQLite, which has no procedures: {@link StatementSession} has their loops. Thread: any. */
final class StatementDesign extends DesignDatabase {
    static final String ENGINE = Databases.SQLITE;

    private final DesignFiles files = new DesignFiles(ENGINE);
    private final List<String> parts;
    private final Map<DesignStatement, String> statements = new EnumMap<>(DesignStatement.class);
    private final AtomicInteger sessions = new AtomicInteger();
    /** SQLite gives its only write lock by luck, so that a session may wait for seconds. Here they take turns. */
    private final ReentrantLock turn = new ReentrantLock(true);

    StatementDesign(BenchmarkDatabase database, Design design, QueueShape shape, boolean durable) {
        super(database, shape, durable);
        this.parts = design.parts(ENGINE);
        for (String part : parts) {
            for (DesignStatement statement : DesignStatement.values()) {
                files.find(part + "/" + statement.file()).ifPresent(sql -> statements.put(statement, sql));
            }
        }
    }

    @Override
    void createTables() throws SQLException {
        try (Connection connection = open();
                Statement statement = connection.createStatement()) {
            for (String part : parts) {
                String script = files.find(part + "/create").orElse("");
                if (!script.isEmpty()) {
                    statement.executeUpdate(script);
                }
            }
            if (statements.containsKey(DesignStatement.FILL)) {
                try (PreparedStatement fill = connection.prepareStatement(statements.get(DesignStatement.FILL))) {
                    fill.setInt(1, shape().ringSize());
                    fill.setInt(2, shape().bodyBytes());
                    fill.executeUpdate();
                }
            }
        }
    }

    /** Opens a connection on which the design's slots have their places. */
    private Connection open() throws SQLException {
        Connection connection = connect();
        SlotKey.createFor(parts, connection);
        return connection;
    }

    @Override
    Session pusher(Long pending) {
        try {
            return new StatementSession.Pusher(session(), shape(), pending);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    Session popper(int subscriber, Long pending) {
        try {
            return new StatementSession.Popper(session(), shape(), pending, subscriber);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private StatementConnection session() throws SQLException {
        return new StatementConnection(open(), statements, sessions.incrementAndGet(), turn);
    }

    @Override
    Accounts accounts() {
        try (Connection connection = open();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(statements.get(DesignStatement.ACCOUNTS))) {
            row.next();
            return new Accounts(row.getLong(1), row.getLong(2), row.getLong(3));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
