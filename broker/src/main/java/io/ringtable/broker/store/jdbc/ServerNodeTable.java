package io.ringtable.broker.store.jdbc;

import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.node.NodeTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the nodes in a database that several of them reach. The table has one connection of its own, opened with the
 * first call. A beat that the server leaves waiting keeps no reader and no renewal from the pool.
 * <p>
 * Thread: the one that beats; any closes. Failure: the next call connects anew.
 */
public final class ServerNodeTable implements NodeTable, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerNodeTable.class);
    private static final String TABLE = "node";
    private static final String LAST_PROCEDURE = "node_read"; // in the order in which they are made

    /**
     * Holds the statements of an engine. The first takes node id, run id, description, version, state, url and the
     * lease in ms; that which forgets takes node id and run id. The others take nothing.
     */
    public record Statements(String beat, String cap, String forget, String owners, String read) {}

    private final Dialect dialect;
    private final Statements statements;
    private final SqlWork<Connection, Boolean> laid;
    private volatile Connection connection; // the beating thread's; null until needed, and after a failure
    private volatile boolean closed;
    private boolean isLaid; // once the table has been seen, it stays

    /** @param laid says whether the schema has what the statements need, {@link #hasTable} or {@link #hasProcedures} */
    public ServerNodeTable(Dialect dialect, Statements statements, SqlWork<Connection, Boolean> laid) {
        this.dialect = dialect;
        this.statements = statements;
        this.laid = laid;
    }

    @Override
    public List<SeenNode> beat(Node node) {
        return call("beat", open -> {
            if (!isLaid(open)) {
                throw notLaid(dialect.place());
            }
            List<SeenNode> before = seen(open, statements.read());
            if (before.stream().anyMatch(other -> other.ageMs() < 0)) {
                run(open, statements.cap());
            }
            try (PreparedStatement beat = open.prepareStatement(statements.beat())) {
                bind(beat, node);
                finish(beat);
            }
            return before.stream().map(ServerNodeTable::capped).toList();
        });
    }

    @Override
    public void forget(String nodeId, String runId) {
        call("forget", open -> {
            try (PreparedStatement forget = open.prepareStatement(statements.forget())) {
                forget.setString(1, nodeId);
                forget.setString(2, runId);
                finish(forget);
            }
            return null;
        });
    }

    @Override
    public List<ShardOwner> owners() {
        return call("owners", open -> {
            List<ShardOwner> owners = new ArrayList<>();
            if (!isLaid(open)) {
                return owners;
            }
            try (PreparedStatement select = open.prepareStatement(statements.owners());
                    ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    if (row.getLong(5) > 0) {
                        owners.add(new ShardOwner(
                                row.getInt(1), row.getLong(2), row.getString(3), row.getString(4), row.getLong(5)));
                    }
                }
            }
            return owners;
        });
    }

    private boolean isLaid(Connection open) throws SQLException {
        isLaid = isLaid || laid.on(open);
        return isLaid;
    }

    @Override
    public String place() {
        return dialect.place();
    }

    /** Cuts the connection, also under a call that the server never answers. Thread: any. */
    @Override
    public void close() {
        closed = true;
        cut();
    }

    // ---- what a file does in the same way

    /** Says whether the table is there: a schema of an earlier version has none. */
    public static boolean hasTable(Connection connection, String schema) throws SQLException {
        try (ResultSet tables =
                connection.getMetaData().getTables(connection.getCatalog(), schema, TABLE, new String[] {"TABLE"})) {
            return tables.next();
        }
    }

    /** Says whether the procedures are there: a login that may only call them does not see the table. */
    public static boolean hasProcedures(Connection connection, String schema) throws SQLException {
        try (ResultSet procedures =
                connection.getMetaData().getProcedures(connection.getCatalog(), schema, LAST_PROCEDURE)) {
            return procedures.next();
        }
    }

    /** Makes the failure of a schema without the table. */
    public static StoreFailure notLaid(String place) {
        return new StoreFailure(
                StoreFailure.Kind.UNAVAILABLE,
                NOT_LAID,
                "the schema of " + place
                        + " has no table of nodes yet, so no node is seen. The table comes with the first"
                        + " broker of this version that takes a shard: upgrade the nodes of earlier versions");
    }

    /** Reads the nodes; rows from the future have an age below 0. */
    public static List<SeenNode> seen(Connection connection, String sql) throws SQLException {
        List<SeenNode> nodes = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(sql);
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                nodes.add(new SeenNode(
                        new Node(
                                row.getString(1),
                                row.getString(2),
                                row.getString(3),
                                row.getString(4),
                                row.getString(5),
                                row.getString(6),
                                row.getLong(7)),
                        row.getLong(8)));
            }
        }
        return nodes;
    }

    /** Lets a row from the future be of now. */
    public static SeenNode capped(SeenNode seen) {
        return seen.ageMs() < 0 ? new SeenNode(seen.node(), 0) : seen;
    }

    /** Binds what a node says of itself. */
    public static void bind(PreparedStatement beat, Node node) throws SQLException {
        beat.setString(1, node.nodeId());
        beat.setString(2, node.runId());
        beat.setString(3, node.description());
        beat.setString(4, node.version());
        beat.setString(5, node.state());
        beat.setString(6, node.url());
        beat.setLong(7, node.leaseMs());
    }

    // ---- the connection

    private <T> T call(String verb, SqlWork<Connection, T> work) {
        try {
            return work.on(open());
        } catch (SQLException e) {
            cut(); // whatever it was: the table is not worth a look at what the session is still good for
            throw StoreErrors.of(dialect.classify(e), verb + " of nodes on " + dialect.place(), e);
        }
    }

    private Connection open() throws SQLException {
        if (closed) {
            throw StoreErrors.closed();
        }
        Connection open = connection;
        if (open == null || open.isClosed()) { // cut, as it led to a former primary
            open = dialect.dataSource().getConnection();
            connection = open;
            if (closed) { // meanwhile
                cut();
                throw StoreErrors.closed();
            }
        }
        return open;
    }

    private void cut() {
        Connection open = connection;
        connection = null;
        if (open != null) {
            try {
                open.abort(Runnable::run);
            } catch (SQLException e) {
                LOG.debug("The connection of the table of nodes cannot be cut", e);
            }
        }
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            finish(statement);
        }
    }

    /** Runs a statement without rows, and leaves no error of it unread. */
    private static void finish(PreparedStatement statement) throws SQLException {
        boolean rows = statement.execute();
        while (rows || statement.getUpdateCount() != -1) {
            rows = statement.getMoreResults();
        }
    }
}
