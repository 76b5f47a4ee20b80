package io.ringtable.acceptance.harness;

import io.ringtable.broker.Ports;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a broker is to run. Immutable; each method returns a changed copy.
 *
 * @param directory its working directory: configuration, data and logs
 * @param properties by name; written to {@code application.properties}, so that no password is an argument
 * @param jvm options of the JVM
 * @param jar whether it is started from the executable jar, as its users may do: four times the work of the unpacked
 *     one
 * @param wrapper command that starts the JVM, such as strace; empty for none
 */
public record BrokerSettings(
        Path directory,
        int amqpPort,
        int httpPort,
        Map<String, String> properties,
        List<String> jvm,
        boolean jar,
        List<String> wrapper) {

    /** Small and quick to start: most tests restart it often and none asks for its top speed. */
    private static final List<String> JVM = List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    private static final String RING_CAPACITY = "ringtable.ring.capacity";

    /** A quarter of the default: on SQLite a new broker writes all slots, and each start reads them. */
    private static final int SLOTS = 16_384;

    public BrokerSettings {
        properties = Map.copyOf(properties);
        jvm = List.copyOf(jvm);
        wrapper = List.copyOf(wrapper);
    }

    public static BrokerSettings in(Path directory) {
        return new BrokerSettings(
                directory,
                Ports.free(),
                Ports.free(),
                Map.of(
                        "ringtable.data-dir",
                        directory.resolve("data").toString(),
                        RING_CAPACITY,
                        Integer.toString(SLOTS)),
                JVM,
                false,
                List.of());
    }

    public BrokerSettings with(String property, Object value) {
        Map<String, String> changed = new LinkedHashMap<>(properties);
        changed.put(property, value.toString());
        return new BrokerSettings(directory, amqpPort, httpPort, changed, jvm, jar, wrapper);
    }

    /** Returns the same for a test of one shard, its disk or its damage: a run on several shards leaves it alone. */
    public BrokerSettings oneShard() {
        return with("ringtable.shards", 1);
    }

    /** Returns the same with the ring that a broker has by default, for tests that compare rates or times. */
    public BrokerSettings withDefaultRing() {
        Map<String, String> changed = new LinkedHashMap<>(properties);
        changed.remove(RING_CAPACITY);
        return new BrokerSettings(directory, amqpPort, httpPort, changed, jvm, jar, wrapper);
    }

    /**
     * Returns the same with what most classes need that share a broker: the more classes have the same settings, the
     * fewer brokers start. Each policy is for addresses of one class, and does nothing to those of others.
     */
    public BrokerSettings usual() {
        return together("together.#")
                .with("ringtable.dispatch.addresses[1].match", "resting")
                .with("ringtable.dispatch.addresses[1].redelivery-delay", "300ms")
                .with("ringtable.dispatch.addresses[2].match", "by-message-id.#")
                .with("ringtable.dispatch.addresses[2].duplicate-id", "message-id");
    }

    /** Returns the same with addresses that live in one shard of several, so that a transaction may have them all. */
    public BrokerSettings together(String match) {
        return with("ringtable.dispatch.addresses[0].match", match)
                .with("ringtable.dispatch.addresses[0].affinity", "together");
    }

    /** Returns the usual with a window of 16 messages, which a test fills quickly. */
    public BrokerSettings usualWithSmallWindow() {
        return usual().with("ringtable.dispatch.window-messages-max", 16);
    }

    public BrokerSettings store(String url, String username, String password) {
        return with("ringtable.store.url", url)
                .with("ringtable.store.username", username)
                .with("ringtable.store.password", password);
    }

    public BrokerSettings store(ServerDatabase database) {
        return store(database.url(), database.username(), database.password());
    }

    public BrokerSettings jvm(String... options) {
        return new BrokerSettings(directory, amqpPort, httpPort, properties, List.of(options), jar, wrapper);
    }

    public BrokerSettings ports(int amqp, int http) {
        return new BrokerSettings(directory, amqp, http, properties, jvm, jar, wrapper);
    }

    public BrokerSettings wrappedIn(List<String> command) {
        return new BrokerSettings(directory, amqpPort, httpPort, properties, jvm, jar, command);
    }

    /** Returns what its nodes log in with, as a header of HTTP has it; nothing where it has no users. */
    Optional<String> authorization() {
        return Optional.ofNullable(properties.get("ringtable.cluster.user"))
                .map(user -> user + ":" + properties.get("ringtable.cluster.password"))
                .map(login -> "Basic " + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8)));
    }

    public Path dataDir() {
        return Path.of(properties.get("ringtable.data-dir"));
    }

    public BrokerSettings asJar() {
        return new BrokerSettings(directory, amqpPort, httpPort, properties, jvm, true, wrapper);
    }

    List<String> command(Path program) {
        List<String> command = new ArrayList<>(wrapper);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvm);
        command.addAll(isUnpacked() ? UnpackedBroker.command(program) : List.of("-jar", program.toString()));
        return command;
    }

    /** Whether it is this build's broker, which lies unpacked too, with an archive of its classes. */
    private boolean isUnpacked() {
        return !jar && System.getProperty("broker.jar") == null;
    }

    String configuration() {
        StringBuilder text = new StringBuilder();
        text.append("ringtable.amqp.port=").append(amqpPort).append('\n');
        text.append("server.port=").append(httpPort).append('\n');
        properties.forEach((name, value) -> text.append(name)
                .append('=')
                .append(value.replace("\\", "\\\\"))
                .append('\n'));
        return text.toString();
    }
}
