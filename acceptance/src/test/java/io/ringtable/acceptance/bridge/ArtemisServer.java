package io.ringtable.acceptance.bridge;

import java.nio.file.Path;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.ActiveMQServers;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;

/**
 * Runs Apache ActiveMQ Artemis as a program, with AMQP on loopback: {@code ArtemisServer DIRECTORY PORT}. All that
 * bears on a bridge has the values of an installation: ids of the last 20,000 messages of an address are kept and
 * stored.
 */
final class ArtemisServer {
    private ArtemisServer() {}

    public static void main(String[] args) throws Exception {
        ActiveMQServers.newActiveMQServer(configuration(Path.of(args[0]), args[1]))
                .start();
    }

    private static Configuration configuration(Path directory, String port) throws Exception {
        return new ConfigurationImpl()
                .setPersistenceEnabled(true)
                .setJournalType(JournalType.NIO)
                .setJournalDatasync(true)
                .setJournalDirectory(directory.resolve("journal").toString())
                .setBindingsDirectory(directory.resolve("bindings").toString())
                .setPagingDirectory(directory.resolve("paging").toString())
                .setLargeMessagesDirectory(directory.resolve("large-messages").toString())
                .setSecurityEnabled(false)
                .addAcceptorConfiguration("amqp", "tcp://127.0.0.1:" + port + "?protocols=AMQP")
                .addAddressSetting(
                        "#",
                        new AddressSettings()
                                .setAutoCreateAddresses(true)
                                .setAutoCreateQueues(true)
                                .setAutoDeleteAddresses(false)
                                .setAutoDeleteQueues(false)
                                .setAddressFullMessagePolicy(AddressFullMessagePolicy.PAGE));
    }
}
