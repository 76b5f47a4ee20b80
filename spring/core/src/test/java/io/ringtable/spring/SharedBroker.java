package io.ringtable.spring;

import io.ringtable.broker.MemoryDirectory;
import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.TestSettings;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.work.CommitMonitor;
import io.ringtable.client.Address;
import io.ringtable.client.ClientBuilder;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.ReceivedMessage.DeadLetter;
import io.ringtable.client.Receiver;
import io.ringtable.client.Reconnect;
import io.ringtable.client.RingtableClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.util.FileSystemUtils;

/**
 * One broker on SQLite for all tests of this module, with one client; each test has addresses of its own. Topics whose
 * names begin with {@code kept.} keep their messages. A message dies after two failures.
 */
public final class SharedBroker implements BeforeAllCallback, AutoCloseable {
    public static final Duration SOON = Duration.ofSeconds(60);
    public static final Duration NOTHING_MORE = Duration.ofMillis(100);

    private static SharedBroker shared;

    private final Path directory;
    private final RingtableBroker broker;
    private final RingtableClient client;

    /** For JUnit, which starts the broker before the first class. */
    public SharedBroker() {
        directory = null;
        broker = null;
        client = null;
    }

    private SharedBroker(Path directory) {
        TestSettings settings = TestSettings.of(
                "ringtable.dispatch.deliveries-max", 2,
                "ringtable.dispatch.addresses[0].match", "kept.#",
                "ringtable.dispatch.addresses[0].retention-age", "1h");
        this.directory = directory;
        broker = new RingtableBroker(
                        StoreSettings.embedded(directory),
                        settings.shard(),
                        settings.amqp(),
                        settings.logins(),
                        CommitMonitor.NONE)
                .start();
        client = connect().connect();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        context.getRoot()
                .getStore(ExtensionContext.Namespace.GLOBAL)
                .computeIfAbsent(SharedBroker.class, key -> start(), SharedBroker.class);
    }

    private static SharedBroker start() {
        try {
            shared = new SharedBroker(MemoryDirectory.create("ringtable-spring-"));
            return shared;
        } catch (IOException noDirectory) {
            throw new UncheckedIOException(noDirectory);
        }
    }

    /** The client of all tests that need none of their own. */
    public static RingtableClient client() {
        return shared.client;
    }

    /** Begins a client of the test's own. */
    public static ClientBuilder connect(String clientId) {
        return shared.connect().clientId(clientId);
    }

    public static String uri() {
        return "amqp://127.0.0.1:" + shared.broker.amqpPort();
    }

    private ClientBuilder connect() {
        return RingtableClient.builder()
                .uri("amqp://127.0.0.1:" + broker.amqpPort())
                .reconnect(Reconnect.DEFAULT.firstDelay(Duration.ofMillis(20)).longestDelay(Duration.ofMillis(200)));
    }

    /** Makes the name of an address that no other test has. */
    public static String name() {
        return "test-" + UUID.randomUUID();
    }

    public static String queue() {
        return Address.queue(name()).toString();
    }

    public static String topic() {
        return Address.topic(name()).toString();
    }

    /** Takes the dead letter of that address, whatever other tests have left there. */
    public static DeadLetter deadLetterOf(String address) {
        try (Receiver letters = client().receiver("queue://DLQ")) {
            while (true) {
                ReceivedMessage letter = letters.receive(SOON).orElseThrow();
                letter.acknowledge();
                DeadLetter why = letter.deadLetter().orElseThrow();
                if (why.address().equals(Address.of(address).name())) {
                    return why;
                }
            }
        }
    }

    @Override
    public void close() {
        client.close();
        broker.close();
        FileSystemUtils.deleteRecursively(directory.toFile());
    }
}
