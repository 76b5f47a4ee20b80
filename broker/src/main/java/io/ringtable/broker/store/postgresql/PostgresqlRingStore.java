package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.message.DeliveryKey;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.store.RingCrossings.Crossing;
import io.ringtable.broker.store.RingOwnership.Placed;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.jdbc.JdbcRingStore;
import io.ringtable.broker.store.jdbc.Rows;
import io.ringtable.broker.store.jdbc.ServerNodeTable;
import io.ringtable.broker.store.jdbc.ShardReader;
import io.ringtable.broker.store.jdbc.SqlWork;
import io.ringtable.broker.store.jdbc.StoreErrors;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.node.NodeTable;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Keeps a shard on a PostgreSQL server that other brokers may reach as well: the lease decides which one owns it. Calls
 * outside the ring (lease, large bodies, passing on, the directory) use pooled connections and do not wait for a flush.
 */
final class PostgresqlRingStore extends JdbcRingStore<PostgresqlWriter> {
    private static final int CHUNK_BYTES = 1 << 20;
    private static final long LOOK_NANOS = Duration.ofSeconds(10).toNanos();

    private final PostgresqlDialect dialect;
    private final ServerNodeTable nodes;
    private long lookedAt = System.nanoTime(); // the lease-keeper's

    PostgresqlRingStore(StoreSettings settings, PostgresqlDialect dialect) {
        super(settings, dialect);
        this.dialect = dialect;
        this.nodes = new ServerNodeTable(
                dialect,
                new ServerNodeTable.Statements(
                        dialect.statements().sql(PostgresqlStatement.NODE_BEAT),
                        dialect.statements().sql(PostgresqlStatement.NODE_CAP),
                        dialect.statements().sql(PostgresqlStatement.NODE_FORGET),
                        dialect.statements().sql(PostgresqlStatement.NODE_OWNERS),
                        dialect.statements().sql(PostgresqlStatement.NODE_READ)),
                connection -> ServerNodeTable.hasTable(connection, dialect.schema()));
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
    protected PostgresqlWriter writer(Connection connection) {
        return new PostgresqlWriter(new PostgresqlSession(connection, dialect.statements(), shardId()), dialect);
    }

    @Override
    protected ShardReader reader(Connection connection) {
        return new PostgresqlReader(connection, dialect.statements(), shardId());
    }

    /** Renews the lease, and looks now and then whether a commit still waits for a standby. */
    @Override
    public void renew(long epoch) {
        lease("renew", PostgresqlStatement.RENEW, epoch);
        long now = System.nanoTime();
        if (now - lookedAt > LOOK_NANOS) {
            lookedAt = now;
            pooled("verify", connection -> {
                verify(connection);
                return null;
            });
        }
    }

    @Override
    public void resign(long epoch) {
        lease("resign", PostgresqlStatement.RESIGN, epoch);
    }

    private void lease(String verb, PostgresqlStatement statement, long epoch) {
        int changed = call(verb, statement, update -> {
            update.setLong(2, epoch);
            return update.executeUpdate();
        });
        if (changed != 1) {
            throw StoreErrors.fencedByAnother(epoch);
        }
    }

    /** Stages the whole body in one call, so that its pieces become durable together. */
    @Override
    public void stage(long epoch, long bodyId, byte[] body) {
        ArrayParameter chunks = ArrayParameter.ofBytes();
        int from = 0;
        do {
            int to = Math.min(body.length, from + CHUNK_BYTES);
            chunks.addBytes(Arrays.copyOfRange(body, from, to));
            from = to;
        } while (from < body.length);
        call("stage", PostgresqlStatement.STAGE, function -> {
            function.setLong(2, epoch);
            function.setLong(3, bodyId);
            function.setObject(4, chunks);
            return function.execute();
        });
    }

    @Override
    public void passOn(long epoch, int home, List<Long> inboxIds) {
        ArrayParameter ids = ArrayParameter.ofLongs();
        inboxIds.forEach(ids::addLong);
        call("passOn", PostgresqlStatement.PASS_ON, function -> {
            function.setLong(2, epoch);
            function.setInt(3, home);
            function.setObject(4, ids);
            return function.execute();
        });
    }

    @Override
    public Crossing openCrossing(long epoch, int origin) {
        return call("openCrossing", PostgresqlStatement.OPEN_CROSSING, function -> {
            function.setLong(2, epoch);
            function.setInt(3, origin);
            return PostgresqlSession.all(function, row -> new Crossing(row.getLong(1), ids(row.getArray(2))))
                    .get(0);
        });
    }

    private static List<Long> ids(Array array) throws SQLException {
        return List.of((Long[]) array.getArray());
    }

    @Override
    public void takeOver(long epoch, int origin, long number, List<InboxMessage> messages) {
        ArrayParameter ids = ArrayParameter.ofLongs();
        ArrayParameter bodies = ArrayParameter.ofBytes();
        ArrayParameter ages = ArrayParameter.ofLongs();
        for (InboxMessage message : messages) {
            ids.addLong(message.id());
            bodies.addBytes(message.body());
            ages.addLong(message.ageMs());
        }
        call("takeOver", PostgresqlStatement.TAKE_OVER, function -> {
            function.setLong(2, epoch);
            function.setInt(3, origin);
            function.setLong(4, number);
            function.setObject(5, ids);
            function.setObject(6, texts(messages, InboxMessage::address));
            function.setObject(
                    7, texts(messages, message -> message.kind() == null ? null : Rows.kind(message.kind())));
            function.setObject(8, texts(messages, message -> message.text() ? "text" : "bytes"));
            function.setObject(9, bodies);
            function.setObject(10, texts(messages, InboxMessage::properties));
            function.setObject(11, ages);
            function.setObject(12, texts(messages, InboxMessage::publishedBy));
            return function.execute();
        });
    }

    private static String[] texts(List<InboxMessage> messages, Function<InboxMessage, String> column) {
        return messages.stream().map(column).toArray(String[]::new);
    }

    @Override
    public void removeTakenOver(List<Long> inboxIds) {
        ArrayParameter ids = ArrayParameter.ofLongs();
        inboxIds.forEach(ids::addLong);
        call("removeTakenOver", PostgresqlStatement.REMOVE_TAKEN_OVER, function -> {
            function.setObject(2, ids);
            return function.execute();
        });
    }

    @Override
    public void keepPlacements(List<Placed> rows) {
        pooledWrite("keepPlacements", connection -> {
            try (PreparedStatement upsert =
                    connection.prepareStatement(dialect.statements().sql(PostgresqlStatement.KEEP_PLACEMENT))) {
                for (Placed row : rows) {
                    upsert.setInt(1, row.shard());
                    upsert.setString(2, row.token());
                    upsert.setBoolean(3, row.here());
                    upsert.setString(4, row.store());
                    upsert.setString(5, row.place());
                    upsert.executeUpdate();
                }
            }
            return null;
        });
    }

    @Override
    public void unstage(long epoch, long[] bodyIds) {
        if (bodyIds.length == 0) {
            return;
        }
        ArrayParameter ids = ArrayParameter.ofLongs();
        for (long bodyId : bodyIds) {
            ids.addLong(bodyId);
        }
        call("unstage", PostgresqlStatement.UNSTAGE, function -> {
            function.setLong(2, epoch);
            function.setObject(3, ids);
            return function.execute();
        });
    }

    @Override
    public int shards() {
        return call(
                "shards",
                PostgresqlStatement.COUNT_SHARDS,
                select -> PostgresqlSession.all(select, row -> row.getInt(1)).get(0));
    }

    @Override
    public Optional<DeliveryKey> keepDeliveryKey(DeliveryKey proposed) {
        return Optional.of(call("keepDeliveryKey", PostgresqlStatement.KEEP_DELIVERY_KEY, function -> {
            function.setBytes(2, proposed.secret());
            return PostgresqlSession.all(function, row -> new DeliveryKey(row.getBytes(1)))
                    .get(0);
        }));
    }

    @Override
    protected DirectoryStore.Answer alterDirectory(List<HomeChange> changes) {
        return pooledWrite(
                "alterDirectory",
                connection -> PostgresqlDirectory.alter(
                        connection, dialect.statements().sql(PostgresqlStatement.ALTER_DIRECTORY), changes));
    }

    private <T> T call(String verb, PostgresqlStatement statement, SqlWork<PreparedStatement, T> work) {
        return pooledWrite(verb, connection -> {
            try (PreparedStatement prepared =
                    connection.prepareStatement(dialect.statements().sql(statement))) {
                prepared.setInt(1, shardId());
                return work.on(prepared);
            }
        });
    }
}
