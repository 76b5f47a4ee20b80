package io.ringtable.benchmarks.flush;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.broker.ring.Ledger;
import io.ringtable.broker.ring.RingGeometry;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Random;

/**
 * Flushes as the store does, through the tables and statements of a model. Thread: one at a time.
 * <p>
 * Failure: an {@link IllegalStateException} has the engine's error.
 */
abstract class Model implements FlushPath {
    static final int SLOTS = 1 << 16; // as in model_create.sql
    private static final int BODIES = 1 << 10;
    private static final int BODY_BYTES = 300;

    private final BenchmarkDatabase database;
    private final Connection connection;
    private final Idea idea;
    private final int subscribers;
    private final Ledger ledger = new Ledger();
    private final byte[][] bodies = new byte[BODIES][BODY_BYTES];
    private long settledBelow;
    private long next;

    Model(BenchmarkDatabase database, Idea idea, int subscribers) throws SQLException {
        this.database = database;
        this.connection = database.connect();
        this.idea = idea;
        this.subscribers = subscribers;
        Random random = new Random(1);
        for (byte[] body : bodies) {
            random.nextBytes(body);
        }
        connection.setAutoCommit(false);
    }

    /** Creates the tables of a model. */
    static Model open(BenchmarkDatabase database, Idea idea, int subscribers) {
        try {
            return switch (database.engine()) {
                case Databases.SQLITE -> new SqliteModel(database, idea, subscribers);
                case Databases.POSTGRESQL -> new PostgresModel(database, idea, subscribers);
                default -> new SqlserverModel(database, idea, subscribers);
            };
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes messages from this sequence on. */
    abstract void claim(long first, int messages) throws SQLException;

    /** Writes what the ledger has staged. */
    abstract void settleByBitmaps(Ledger staged) throws SQLException;

    /** Settles messages for all subscribers, one by one. */
    abstract void settleOneByOne(long from, long to) throws SQLException;

    @Override
    public final void flush(int messages) {
        try {
            claim(next, messages);
            if (settledBelow < next) {
                settle(settledBelow, next);
            }
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        settledBelow = next;
        next += messages;
    }

    private void settle(long from, long to) throws SQLException {
        if (idea == Idea.FLUSH_SETTLE_ROWS || idea == Idea.FLUSH_COUNT_IN_ROW) {
            settleOneByOne(from, to);
            return;
        }
        for (int bit = 0; bit < subscribers; bit++) {
            for (long sequence = from; sequence < to; sequence++) {
                ledger.stage(sequence, bit);
            }
        }
        settleByBitmaps(ledger);
        ledger.commit();
        ledger.dropBelow(RingGeometry.blockOf(from));
    }

    static void expect(int changed, long wanted) {
        if (changed != wanted) {
            throw new IllegalStateException(changed + " rows changed instead of " + wanted);
        }
    }

    final Connection connection() {
        return connection;
    }

    final Idea idea() {
        return idea;
    }

    final int subscribers() {
        return subscribers;
    }

    /** Returns a bit for each subscriber. */
    final long pending() {
        return (1L << subscribers) - 1;
    }

    final byte[] body(long sequence) {
        return bodies[(int) sequence & BODIES - 1];
    }

    @Override
    public final Optional<String> whyNotDurable() {
        try {
            return database.whyNotDurable(connection);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public final void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
