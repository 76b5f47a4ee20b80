package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.store.FsyncProbe;
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
 * Apache ActiveMQ Artemis as a program: {@code ArtemisServer DIRECTORY PORT}, AMQP on loopback, until it is ended.
 * <p>
 * As durable as Ringtable: each message and each acknowledgement in the journal, and the journal synced, before it is answered.
 * Otherwise Artemis' own defaults, but for what {@link #configuration} names. Thread: main, then Artemis' own.
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

    /** What Artemis would take by itself: asynchronous I/O where its library loads, which needs the system's libaio. */
    static JournalType journal() {
        return LibaioContext.isLoaded() ? JournalType.ASYNCIO : JournalType.NIO;
    }

    private static Configuration configuration(Path directory, String port) throws Exception {
        int syncNanos = syncNanos(directory);
        return new ConfigurationImpl()
                .setPersistenceEnabled(true)
                .setJournalType(journal())
                .setJournalDatasync(true)
                // How long the journal gathers writes for one sync. The library's default for NIO is 3.3 ms, made for
                // disks that turn; its
                // installation (artemis create) measures one synced write and takes that, and so do we.
                .setJournalBufferTimeout_NIO(syncNanos)
                .setJournalBufferTimeout_AIO(syncNanos)
                .setJournalDirectory(directory.resolve("journal").toString())
                .setBindingsDirectory(directory.resolve("bindings").toString())
                .setPagingDirectory(directory.resolve("paging").toString())
                .setLargeMessagesDirectory(directory.resolve("large-messages").toString())
                .setSecurityEnabled(false) // Ringtable asks nobody either, unless it is told to
                .addAcceptorConfiguration("amqp", "tcp://127.0.0.1:" + port + "?protocols=AMQP")
                // As its installation has it: queues come and stay, and what exceeds half of the heap goes to page
                // files.
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
