package io.ringtable.benchmarks.endtoend.naive;

import io.ringtable.benchmarks.endtoend.driver.Driver;
import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.broker.store.jdbc.StatementFiles;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Holds a queue and a topic in tables of a database of their own. Every client has a connection with the engine's full
 * durability, which {@link #durability} checks. A client that finds the lock of another in its way waits as the
 * engine's driver does by default. Then it begins its transaction anew. Thread: any.
 */
public final class NaiveQueue implements AutoCloseable {
    private final BenchmarkDatabase database;
    private final StatementFiles<QueueStatement> statements;
    private final LongAdder retries = new LongAdder();

    private NaiveQueue(BenchmarkDatabase database) {
        this.database = database;
        this.statements = new StatementFiles<>(database.engine(), QueueStatement.class);
    }

    /** Creates the tables in the empty database, which belongs to the queue from now on. */
    public static NaiveQueue create(BenchmarkDatabase database) {
        NaiveQueue queue = new NaiveQueue(database);
        try (Connection connection = database.connect();
                Statement ddl = connection.createStatement()) {
            ddl.execute(queue.statements.sql(QueueStatement.QUEUE_CREATE));
            ddl.execute(queue.statements.sql(QueueStatement.TOPIC_SUBSCRIBER_CREATE));
            ddl.execute(queue.statements.sql(QueueStatement.TOPIC_CREATE));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return queue;
    }

    /**
     * Makes the clients.
     *
     * @param batchMax most messages of a commit; 1 for a commit per message
     * @param poll how long a consumer that has found nothing waits before it looks again
     * @param failed takes what ends a consumer's thread
     */
    public Driver driver(int batchMax, Duration poll, Consumer<Throwable> failed) {
        return new NaiveDriver(this, batchMax, poll, failed);
    }

    /** Returns the settings of a client's connection that decide durability; refuses less than full durability. */
    public String durability() {
        return database.description();
    }

    /** Returns how often a transaction found a lock of another client in its way and began anew. */
    public long retries() {
        return retries.sum();
    }

    NaiveSession open(boolean autoCommit) {
        try {
            return new NaiveSession(database.connect(), autoCommit, retries);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    String sql(QueueStatement statement) {
        return statements.sql(statement);
    }

    @Override
    public void close() {
        database.close();
    }
}
