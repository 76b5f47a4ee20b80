package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.engine.FsyncProbe;
import java.nio.file.Path;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.ActiveMQServers;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.activemq.artemis.nativo.jlibaio.LibaioContext;

/**
 * Runs Apache ActiveMQ Artemis as a program, with AMQP on loopback: {@code ArtemisServer DIRECTORY PORT}.
 * <p>
 * Artemis is as durable as Ringtable: it answers a message or an acknowledgement once the journal holds it and is
 * synced. {@link #configuration} names all differences from Artemis' own defaults. Thread: main, then Artemis' own.
 */
final class ArtemisServer {
    private ArtemisServer() {}

    public static void main(String[] args) throws Exception {
        ActiveMQServer server = ActiveMQServers.newActiveMQServer(configuration(Path.of(args[0]), args[1]));
        server.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server), "artemis-stop"));
    }

    private static void stop(ActiveMQServer server) {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns what Artemis chooses by itself: asynchronous I/O if its library finds the system's libaio. */
    static JournalType journal() {
        return LibaioContext.isLoaded() ? JournalType.ASYNCIO : JournalType.NIO;
    }

    private static Configuration configuration(Path directory, String port) throws Exception {
        int syncNanos = syncNanos(directory);
        return new ConfigurationImpl()
                .setPersistenceEnabled(true)
                .setJournalType(journal())
                .setJournalDatasync(true)
                // The time for which the journal gathers writes for one sync. The library's default for NIO is 3.3 ms,
                // made for rotating disks. Artemis' installation (artemis create) measures a synced write and takes
                // that, and so does this program.
                .setJournalBufferTimeout_NIO(syncNanos)
                .setJournalBufferTimeout_AIO(syncNanos)
                .setJournalDirectory(directory.resolve("journal").toString())
                .setBindingsDirectory(directory.resolve("bindings").toString())
                .setPagingDirectory(directory.resolve("paging").toString())
                .setLargeMessagesDirectory(directory.resolve("large-messages").toString())
                .setSecurityEnabled(false) // Ringtable has no users by default either
                .addAcceptorConfiguration("amqp", "tcp://127.0.0.1:" + port + "?protocols=AMQP")
                // The installation's settings: queues are created and stay; beyond half of the heap, messages go to
                // page files.
                .addAddressSetting(
                        "#",
                        new AddressSettings()
                                .setAutoCreateAddresses(true)
                                .setAutoCreateQueues(true)
                                .setAutoDeleteAddresses(false)
                                .setAutoDeleteQueues(false)
                                .setAddressFullMessagePolicy(AddressFullMessagePolicy.PAGE));
    }

    private static int syncNanos(Path directory) {
        try (FsyncProbe probe = new FsyncProbe(directory)) {
            return (int) (probe.medianMicros() * 1e3);
        }
    }
}
