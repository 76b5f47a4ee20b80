package io.ringtable.test;

import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.dispatch.Shard;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Runs a broker in this process, on a file that is deleted with it. After a stop it comes back on the same file and
 * port, so that clients find it again.
 * <p>
 * Thread: any, one start or stop at a time.
 */
final class InProcessBroker implements AutoCloseable {
    private static final String PORT = "ringtable.amqp.port";
    private static final String DIRECTORY = "ringtable.data-dir";

    /** Differs from the broker's own defaults: a start costs less on a small ring, and the disk is not the test's. */
    private static final Map<String, String> DEFAULTS = Map.of(
            PORT,
            "0",
            "ringtable.ring.capacity",
            "8192",
            "ringtable.commit.batch-messages-max",
            "2000",
            "ringtable.watermark.free-disk-bytes",
            "0");

    private final TestDirectory directory = new TestDirectory();
    private final Map<String, String> properties = new LinkedHashMap<>(DEFAULTS);
    private final Journal journal = new Journal();
    private final FullStore fullStore = new FullStore();
    private volatile RingtableBroker broker; // null while it is stopped

    /** @param given properties of the broker, which count before the defaults */
    InProcessBroker(Map<String, String> given) {
        properties.put(DIRECTORY, directory.path().toString());
        properties.putAll(given);
        try {
            start();
        } catch (RuntimeException refused) {
            directory.close();
            throw refused;
        }
    }

    /** Starts the broker unless it runs. */
    synchronized void start() {
        if (broker != null) {
            return;
        }
        RingtableBroker starting = RingtableBroker.of(properties, journal, fullStore::around);
        starting.start();
        broker = starting;
        properties.put(PORT, String.valueOf(starting.amqpPort()));
    }

    /** Stops the broker as an operator does: outcomes that are due go out, then its connections close. */
    synchronized void stop() {
        if (broker != null) {
            broker.close();
            broker = null;
        }
    }

    /** Returns the running broker. @throws IllegalStateException while it is stopped */
    RingtableBroker running() {
        RingtableBroker now = broker;
        if (now == null) {
            throw new IllegalStateException("RT-7004 the broker is stopped: the test has called stop(), or asked for"
                    + " down() and not closed it; call start() first");
        }
        return now;
    }

    /** Returns the doors of the shard. @throws IllegalStateException while the broker does not serve */
    Shard shard() {
        Shard shard = running().shard();
        if (shard == null) {
            throw new IllegalStateException(
                    "RT-7005 the broker does not serve: " + running().state().text());
        }
        return shard;
    }

    Journal journal() {
        return journal;
    }

    FullStore fullStore() {
        return fullStore;
    }

    String host() {
        return properties.getOrDefault("ringtable.amqp.host", "127.0.0.1");
    }

    int port() {
        return Integer.parseInt(properties.get(PORT));
    }

    @Override
    public void close() {
        stop();
        directory.close();
    }
}
