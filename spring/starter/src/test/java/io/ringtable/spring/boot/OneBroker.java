package io.ringtable.spring.boot;

import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.TestSettings;
import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import io.ringtable.broker.work.CommitMonitor;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The broker itself, in this process, on PostgreSQL: one for all tests of the module. Each test has its own addresses.
 */
public final class OneBroker implements BeforeAllCallback {
    /** For what has to come. */
    public static final Duration SOON = Duration.ofSeconds(60);

    private static Running running;

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        try {
            running = context.getRoot()
                    .getStore(ExtensionContext.Namespace.GLOBAL)
                    .computeIfAbsent(Running.class, type -> Running.start(), Running.class);
        } catch (IllegalStateException absent) {
            if (absent.getCause() instanceof EngineAbsent engine) {
                engine.failOrSkip();
            }
            throw absent;
        }
    }

    public static String uri() {
        return "amqp://127.0.0.1:" + running.broker.amqpPort();
    }

    /** Says where the broker stores, and where the applications of the tests have their tables. */
    public static StoreProperties database() {
        return running.database.settings().properties();
    }

    private record Running(TestDatabase database, RingtableBroker broker) implements AutoCloseable {
        static Running start() {
            try {
                TestDatabase database = new PostgresqlTestDatabase();
                TestSettings ours = TestSettings.of("ringtable.commit.quota-messages", 10_000);
                return new Running(
                        database,
                        new RingtableBroker(
                                        database.settings(),
                                        ours.shard(),
                                        ours.amqp(),
                                        ours.logins(),
                                        CommitMonitor.NONE)
                                .start());
            } catch (EngineAbsent | SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            broker.close();
            try {
                database.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
