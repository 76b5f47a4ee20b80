package io.ringtable.broker.amqp;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.amqp.FrontPeer.Carried;
import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.login.Authenticator;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.status.ConnectionStatus;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A broker that another node carries clients to; one broker for each class, one relay for each test. */
abstract class RelayScenario {
    static final int LINKS_MAX = 20;
    static final int USER_CONNECTIONS_MAX = 10;
    static final int SECONDS = 60;
    static final Authenticator USERS = (name, password) -> password.equals("of " + name);

    @TempDir
    static Path directory;

    static TestBroker broker;

    FrontPeer front;

    @BeforeAll
    static void start() {
        broker = TestBroker.start(
                directory,
                TestSettings.of(
                                "ringtable.cluster.user", FrontPeer.NODE_USER,
                                "ringtable.amqp.links-max", LINKS_MAX,
                                "ringtable.amqp.max-message-size", "1MB",
                                "ringtable.amqp.buffered-bytes-max", "1MB",
                                "ringtable.amqp.held-bytes-max", "3MB",
                                "ringtable.security.user-connections-max", USER_CONNECTIONS_MAX,
                                "ringtable.security.rules[0].match", "public.#",
                                "ringtable.security.rules[0].users", "*",
                                "ringtable.security.rules[0].permissions", "send,receive,browse,create,delete",
                                "ringtable.security.rules[1].match", "traders.#",
                                "ringtable.security.rules[1].groups", "traders",
                                "ringtable.security.rules[1].permissions", "send,receive,create",
                                "ringtable.security.rules[2].match", "DLQ",
                                "ringtable.security.rules[2].users", "ops",
                                "ringtable.security.rules[2].permissions", "receive")
                        .authenticator(USERS));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @BeforeEach
    void connect() throws Exception {
        front = FrontPeer.node(broker);
    }

    @AfterEach
    void disconnect() throws Exception {
        front.close();
        Awaitility.await().until(() -> broker.counters().connections.sum() == 0);
    }

    /** A client whose connection the node has; its container id is its own. */
    static Carried carried(String connection, String user, String... groups) {
        return new Carried(connection, "desk of " + connection, user, List.of(groups));
    }

    /** Waits until the queue owes that many messages by what is durable. */
    static void awaitOwed(String queue, long messages) {
        CatalogLookup lookup = broker.shard().lookup();
        Awaitility.await().until(() -> {
            Address address = lookup.find(queue);
            return (address == null ? 0 : lookup.owedBy(lookup.readerOf(address))) == messages;
        });
    }

    /** Returns what operators see of connections whose id, user, container or way has that text. */
    static List<ConnectionStatus> seen(String filter) throws Exception {
        return broker.connections()
                .connections(1_000, null, filter)
                .toCompletableFuture()
                .get(SECONDS, TimeUnit.SECONDS)
                .items();
    }
}
