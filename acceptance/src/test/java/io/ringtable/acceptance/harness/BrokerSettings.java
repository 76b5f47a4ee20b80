package io.ringtable.acceptance.harness;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How a broker is to run. Immutable; each method returns a changed copy.
 *
 * @param directory its working directory: configuration, data and logs
 * @param properties by name; written to {@code application.properties}, so that no password is an argument
 * @param jvm options of the JVM; with others than the usual ones it is started from its jar
 * @param wrapper command that starts the JVM, such as strace; empty for none
 */
public record BrokerSettings(
        Path directory,
        int amqpPort,
        int httpPort,
        Map<String, String> properties,
        List<String> jvm,
        List<String> wrapper) {

    /** Small and quick to start: most tests restart it often and none asks for its top speed. */
    private static final List<String> JVM = List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    private static final List<String> AS_JAR = List.of("-Xmx256m", "-XX:TieredStopAtLevel=1");

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
                Map.of("ringtable.data-dir", directory.resolve("data").toString()),
                JVM,
                List.of());
    }

    public BrokerSettings with(String property, Object value) {
        Map<String, String> changed = new LinkedHashMap<>(properties);
        changed.put(property, value.toString());
        return new BrokerSettings(directory, amqpPort, httpPort, changed, jvm, wrapper);
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
        return new BrokerSettings(directory, amqpPort, httpPort, properties, List.of(options), wrapper);
    }

    public BrokerSettings ports(int amqp, int http) {
        return new BrokerSettings(directory, amqp, http, properties, jvm, wrapper);
    }

    public BrokerSettings wrappedIn(List<String> command) {
        return new BrokerSettings(directory, amqpPort, httpPort, properties, jvm, command);
    }

    public Path dataDir() {
        return Path.of(properties.get("ringtable.data-dir"));
    }

    /** Started as its users do, from the jar itself, which takes longer. */
    public BrokerSettings asJar() {
        return jvm(AS_JAR.toArray(new String[0]));
    }

    List<String> command(Path jar) {
        List<String> command = new ArrayList<>(wrapper);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvm);
        command.addAll(isUsual() ? UnpackedBroker.command(jar) : List.of("-jar", jar.toString()));
        return command;
    }

    /** Whether it is this build's broker with the usual options, which has an archive of its classes. */
    private boolean isUsual() {
        return jvm.equals(JVM) && System.getProperty("broker.jar") == null;
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
