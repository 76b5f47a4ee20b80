package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.message.DeliveryKey;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.Utf16;
import io.ringtable.broker.store.RingCrossings.Crossing;
import io.ringtable.broker.store.RingOwnership.Placed;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.jdbc.JdbcRingStore;
import io.ringtable.broker.store.jdbc.Rows;
import io.ringtable.broker.store.jdbc.ServerNodeTable;
import io.ringtable.broker.store.jdbc.ShardReader;
import io.ringtable.broker.store.jdbc.SqlAction;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.node.NodeTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Keeps a shard on a SQL Server that other brokers may reach as well: the lease decides which one owns it. Calls
 * outside the ring (lease, large bodies, the directory) use pooled connections and do not wait for a flush.
 */
final class SqlserverRingStore extends JdbcRingStore<SqlserverWriter> {
    private static final int CHUNK_BYTES = 1 << 20;
    private static final int MS_PER_SECOND = 1_000;

    private final SqlserverDialect dialect;
    private final ServerNodeTable nodes;

    SqlserverRingStore(StoreSettings settings, SqlserverDialect dialect) {
        super(settings, dialect);
        this.dialect = dialect;
        this.nodes = new ServerNodeTable(
                dialect,
                new ServerNodeTable.Statements(
                        dialect.statements().sql(SqlserverStatement.NODE_BEAT),
                        dialect.statements().sql(SqlserverStatement.NODE_CAP),
                        dialect.statements().sql(SqlserverStatement.NODE_FORGET),
                        dialect.statements().sql(SqlserverStatement.NODE_OWNERS),
                        dialect.statements().sql(SqlserverStatement.NODE_READ)),
                connection -> ServerNodeTable.hasProcedures(connection, dialect.schema()));
    }

    @Override
    public NodeTable nodes() {
        return nodes;
    }

    @Override
    public void close() {
        nodes.close();
        super.close();
    }

    @Override
    protected SqlserverWriter writer(Connection connection) {
        return new SqlserverWriter(new SqlserverSession(connection, dialect.statements(), shardId()));
    }

    @Override
    protected ShardReader reader(Connection connection) {
        return new SqlserverReader(connection, dialect.statements(), shardId());
    }

    @Override
    public void renew(long epoch) {
        call("renew", SqlserverStatement.RENEW, call -> call.setLong(2, epoch));
    }

    @Override
    public void resign(long epoch) {
        call("resign", SqlserverStatement.RESIGN, call -> call.setLong(2, epoch));
    }

    /**
     * Stages one chunk at a time, so that the lease never waits longer than one chunk takes; a failure leaves an
     * orphan.
     */
    @Override
    public void stage(long epoch, long bodyId, byte[] body) {
        int chunks = Math.max(1, (body.length + CHUNK_BYTES - 1) / CHUNK_BYTES);
        for (int i = 0; i < chunks; i++) {
            int chunk = i;
            int from = chunk * CHUNK_BYTES;
            call("stage", SqlserverStatement.STAGE, call -> {
                call.setLong(2, epoch);
                call.setLong(3, bodyId);
                call.setInt(4, chunk);
                call.setInt(5, chunks);
                call.setBytes(6, Arrays.copyOfRange(body, from, Math.min(body.length, from + CHUNK_BYTES)));
            });
        }
    }

    @Override
    public void unstage(long epoch, long[] bodyIds) {
        List<Long> ids = Arrays.stream(bodyIds).sorted().distinct().boxed().toList();
        for (int from = 0; from < ids.size(); from += SqlserverReader.LIST_MAX) {
            List<Long> portion = ids.subList(from, Math.min(ids.size(), from + SqlserverReader.LIST_MAX));
            call("unstage", SqlserverStatement.UNSTAGE, call -> {
                call.setLong(2, epoch);
                JsonList.bind(call, 3, portion);
            });
        }
    }

    @Override
    public void passOn(long epoch, int home, List<Long> inboxIds) {
        call("passOn", SqlserverStatement.PASS_ON, call -> {
            call.setLong(2, epoch);
            call.setInt(3, home);
            JsonList.bind(call, 4, inboxIds);
        });
    }

    @Override
    public Crossing openCrossing(long epoch, int origin) {
        return pooledWrite("openCrossing", connection -> {
            try (PreparedStatement call =
                    connection.prepareStatement(dialect.statements().sql(SqlserverStatement.OPEN_CROSSING))) {
                call.setInt(1, shardId());
                call.setLong(2, epoch);
                call.setInt(3, origin);
                return SqlserverSession.all(call, row -> new Crossing(row.getLong(1), JsonList.longs(row.getString(2))))
                        .get(0);
            }
        });
    }

    /**
     * {@inheritDoc} The transaction has a call for each row: a large body goes as a parameter of its own, as
     * applications give it.
     */
    @Override
    public void takeOver(long epoch, int origin, long number, List<InboxMessage> messages) {
        pooledWrite("takeOver", connection -> {
            connection.setAutoCommit(false); // until it goes back to the pool, which also rolls back what failed
            lay(connection, epoch, origin, number, messages);
            connection.commit();
            return null;
        });
    }

    private void lay(Connection connection, long epoch, int origin, long number, List<InboxMessage> messages)
            throws SQLException {
        try (PreparedStatement call =
                connection.prepareStatement(dialect.statements().sql(SqlserverStatement.TAKE_OVER))) {
            call.setInt(1, shardId());
            call.setLong(2, epoch);
            call.setInt(3, origin);
            call.setLong(4, number);
            JsonList.bind(call, 5, messages.stream().map(InboxMessage::id).toList());
            SqlserverSession.call(call);
        }
        try (PreparedStatement insert =
                connection.prepareStatement(dialect.statements().sql(SqlserverStatement.TAKE_OVER_ROW))) {
            for (InboxMessage message : messages) {
                insert.setInt(1, shardId());
                insert.setString(2, message.address());
                insert.setString(3, message.kind() == null ? null : Rows.kind(message.kind()));
                insert.setObject(4, message.text() ? Utf16.ofUtf8(message.body()) : null, Types.LONGNVARCHAR);
                insert.setObject(5, message.text() ? null : message.body(), Types.LONGVARBINARY);
                insert.setObject(6, message.properties(), Types.LONGNVARCHAR);
                insert.setInt(7, (int) Math.min(Integer.MAX_VALUE, message.ageMs() / MS_PER_SECOND));
                insert.setInt(8, (int) (message.ageMs() % MS_PER_SECOND));
                insert.setString(9, message.publishedBy());
                SqlserverSession.call(insert);
            }
        }
    }

    @Override
    public void removeTakenOver(List<Long> inboxIds) {
        call("removeTakenOver", SqlserverStatement.REMOVE_TAKEN_OVER, call -> JsonList.bind(call, 2, inboxIds));
    }

    @Override
    public void keepPlacements(List<Placed> rows) {
        pooledWrite("keepPlacements", connection -> {
            try (PreparedStatement call =
                    connection.prepareStatement(dialect.statements().sql(SqlserverStatement.KEEP_PLACEMENT))) {
                for (Placed row : rows) {
                    call.setInt(1, row.shard());
                    call.setString(2, row.token());
                    call.setInt(3, row.here() ? 1 : 0);
                    call.setString(4, row.store());
                    call.setString(5, row.place());
                    SqlserverSession.call(call);
                }
            }
            return null;
        });
    }

    @Override
    public int shards() {
        return pooledWrite("shards", connection -> {
            try (PreparedStatement select =
                    connection.prepareStatement(dialect.statements().sql(SqlserverStatement.COUNT_SHARDS))) {
                select.setInt(1, shardId());
                return SqlserverSession.all(select, row -> row.getInt(1)).get(0);
            }
        });
    }

    @Override
    public Optional<DeliveryKey> keepDeliveryKey(DeliveryKey proposed) {
        return pooledWrite("keepDeliveryKey", connection -> {
            try (PreparedStatement call =
                    connection.prepareStatement(dialect.statements().sql(SqlserverStatement.KEEP_DELIVERY_KEY))) {
                call.setInt(1, shardId());
                call.setBytes(2, proposed.secret());
                return Optional.of(SqlserverSession.all(call, row -> new DeliveryKey(row.getBytes(1)))
                        .get(0));
            }
        });
    }

    @Override
    protected DirectoryStore.Answer alterDirectory(List<HomeChange> changes) {
        return pooledWrite(
                "alterDirectory",
                connection -> SqlserverDirectory.alter(
                        connection, dialect.statements().sql(SqlserverStatement.ALTER_DIRECTORY), changes));
    }

    private void call(String verb, SqlserverStatement statement, SqlAction<PreparedStatement> bind) {
        pooledWrite(verb, connection -> {
            try (PreparedStatement call =
                    connection.prepareStatement(dialect.statements().sql(statement))) {
                call.setInt(1, shardId());
                bind.on(call);
                SqlserverSession.call(call);
                return null;
            }
        });
    }
}
