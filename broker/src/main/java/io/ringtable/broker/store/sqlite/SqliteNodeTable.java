package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.store.jdbc.ServerNodeTable;
import io.ringtable.broker.store.jdbc.SqlAction;
import io.ringtable.broker.store.jdbc.SqlWork;
import io.ringtable.broker.store.jdbc.StatementFiles;
import io.ringtable.broker.store.node.NodeTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * Keeps the nodes in a file, which one process has at a time: its lock says who is there. So a beat writes only what
 * has changed, or what is a minute old. Each write is a commit with a sync that a flush would wait for.
 * <p>
 * Thread: the one that beats.
 */
final class SqliteNodeTable implements NodeTable {
    /** Tells those who look at the file that the node is still there, for one commit a minute. */
    private static final long WRITTEN_ANEW_MS = 60_000;

    private final Access access;
    private final StatementFiles<SqliteStatement> statements;
    private final String place;
    private final int shard;
    private boolean isLaid; // once the table has been seen, it stays

    /** Gives a connection of the store's pool to read, and its writing connection in a transaction. */
    interface Access {
        <T> T read(SqlWork<Connection, T> work);

        void write(SqlAction<SqliteWriter> work);
    }

    SqliteNodeTable(Access access, StatementFiles<SqliteStatement> statements, String place, int shard) {
        this.access = access;
        this.statements = statements;
        this.place = place;
        this.shard = shard;
    }

    @Override
    public List<SeenNode> beat(Node node) {
        List<SeenNode> before = access.read(connection -> {
            if (!isLaid(connection)) {
                throw ServerNodeTable.notLaid(place);
            }
            return ServerNodeTable.seen(connection, statements.sql(SqliteStatement.NODE_READ));
        });
        boolean isFromTheFuture = before.stream().anyMatch(other -> other.ageMs() < 0);
        if (isFromTheFuture || before.stream().noneMatch(other -> isNew(other, node))) {
            access.write(writer -> {
                if (isFromTheFuture) {
                    writer.capNodes();
                }
                writer.beat(node);
            });
        }
        return before.stream().map(ServerNodeTable::capped).toList();
    }

    private boolean isLaid(Connection connection) throws SQLException {
        isLaid = isLaid || ServerNodeTable.hasTable(connection, null);
        return isLaid;
    }

    private static boolean isNew(SeenNode stored, Node node) {
        return stored.node().equals(node) && stored.ageMs() < WRITTEN_ANEW_MS;
    }

    @Override
    public void forget(String nodeId, String runId) {
        access.write(writer -> writer.forgetNode(nodeId, runId));
    }

    @Override
    public List<ShardOwner> owners() {
        return access.read(connection -> {
            if (!isLaid(connection)) {
                return List.of();
            }
            try (PreparedStatement select = connection.prepareStatement(statements.sql(SqliteStatement.NODE_OWNERS));
                    ResultSet row = select.executeQuery()) {
                return row.next()
                        ? List.of(new ShardOwner(
                                shard, row.getLong(1), row.getString(2), row.getString(3), Long.MAX_VALUE))
                        : List.of();
            }
        });
    }

    @Override
    public String place() {
        return place;
    }
}
