package io.ringtable.broker.admin.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.BrokerApplication;
import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.TestSettings;
import io.ringtable.broker.access.Identity;
import io.ringtable.broker.management.Caller;
import io.ringtable.broker.management.Management;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementJson;
import io.ringtable.broker.management.ManagementRequest;
import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Is a broker as it is shipped, with a user of each role, named as the role, and one without. The user {@code shop}
 * publishes and consumes. Passwords are the names.
 */
final class ConsoleApplication implements AutoCloseable {
    private static final List<String> USERS = List.of("administrator", "operator", "viewer", "nobody", "shop");

    private final ConfigurableApplicationContext application;

    private ConsoleApplication(ConfigurableApplicationContext application) {
        this.application = application;
    }

    static ConsoleApplication withUsers(Path directory, String... more) {
        List<String> settings = new ArrayList<>(List.of(
                "--ringtable.security.rules[0].match=#",
                "--ringtable.security.rules[0].users=shop",
                "--ringtable.security.rules[0].permissions=send,receive,create"));
        for (String user : USERS) {
            String prefix = "--ringtable.security.users[" + USERS.indexOf(user) + "].";
            settings.add(prefix + "name=" + user);
            settings.add(prefix + "password={noop}" + user);
        }
        for (String role : List.of("administrator", "operator", "viewer")) {
            settings.add("--ringtable.security.roles." + role + ".users=" + role);
        }
        settings.addAll(List.of(more));
        return start(directory, settings);
    }

    private static ConsoleApplication start(Path directory, List<String> settings) {
        List<String> arguments = new ArrayList<>(settings);
        arguments.add("--ringtable.data-dir=" + directory);
        arguments.add("--ringtable.ring.capacity=" + TestSettings.RING_CAPACITY);
        arguments.add("--ringtable.amqp.port=0");
        arguments.add("--server.port=0");
        return new ConsoleApplication(SpringApplication.run(BrokerApplication.class, arguments.toArray(String[]::new)));
    }

    URI http() {
        int port = ((WebServerApplicationContext) application).getWebServer().getPort();
        return URI.create("http://127.0.0.1:" + port);
    }

    <T> T bean(Class<T> type) {
        return application.getBean(type);
    }

    /** Has an operation done, as the administrator. @param body JSON; null if there is none */
    void administer(String method, String path, String body) {
        ManagementAnswer answer = application
                .getBean(Management.class)
                .handle(new ManagementRequest(
                        method,
                        path,
                        Map.of(),
                        body == null ? null : ManagementJson.MAPPER.readTree(body),
                        new Caller(Identity.of("administrator"), "http", "127.0.0.1")))
                .toCompletableFuture()
                .join();
        assertThat(answer.status()).as("%s", answer.body()).isLessThan(300);
    }

    /** Connects the user who publishes and consumes. */
    JMSContext shop() {
        return factory().createContext();
    }

    Connection shopConnection() throws JMSException {
        return factory().createConnection();
    }

    private JmsConnectionFactory factory() {
        int port = application.getBean(RingtableBroker.class).amqpPort();
        return new JmsConnectionFactory("shop", "shop", "amqp://127.0.0.1:" + port);
    }

    @Override
    public void close() {
        application.close();
    }
}
