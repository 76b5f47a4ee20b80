package io.ringtable.spring.boot;

import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.TestSettings;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.work.CommitMonitor;
import java.nio.file.Path;

/**
 * A broker of a test's own, on a SQLite file, for what the others' broker must not go through: it stops and comes
 * back.
 */
public final class OwnBroker implements AutoCloseable {
    private final Path directory;
    private TestSettings settings;
    private RingtableBroker broker;

    public OwnBroker(Path directory, TestSettings settings) {
        this.directory = directory;
        this.settings = settings;
        start();
    }

    /** Starts it where it was before. */
    public void start() {
        broker = new RingtableBroker(
                        StoreSettings.embedded(directory),
                        settings.shard(),
                        settings.amqp(),
                        settings.logins(),
                        CommitMonitor.NONE)
                .start();
        settings = settings.with("ringtable.amqp.port", broker.amqpPort());
    }

    public int port() {
        return broker.amqpPort();
    }

    /** Stops it; it may start again. */
    public void stop() {
        broker.close();
    }

    @Override
    public void close() {
        stop();
    }
}
