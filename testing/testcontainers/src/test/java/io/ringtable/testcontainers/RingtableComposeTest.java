package io.ringtable.testcontainers;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.spring.boot.RingtableConnectionDetails;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactories;
import org.springframework.boot.docker.compose.core.ConnectionPorts;
import org.springframework.boot.docker.compose.core.ImageReference;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.core.env.Environment;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.util.ReflectionUtils;

/** Which services of a compose file Spring Boot takes for a broker, and how it connects to them; needs no Docker. */
class RingtableComposeTest {
    private static final Map<String, String> PLAIN = Map.of(
            "RINGTABLE_SECURITY_USERS_0_NAME", "shop",
            "RINGTABLE_SECURITY_USERS_0_PASSWORD", "{noop}hush");

    /** Says what {@code docker compose ps} and {@code docker inspect} say of a service. */
    private record Service(ImageReference image, Map<String, String> env, Map<String, String> labels)
            implements RunningService {

        static Service of(String image, Map<String, String> env) {
            return new Service(ImageReference.of(image), env, Map.of());
        }

        @Override
        public String name() {
            return "broker";
        }

        @Override
        public String host() {
            return "127.0.0.1";
        }

        @Override
        public ConnectionPorts ports() {
            return new ConnectionPorts() {
                @Override
                public int get(int containerPort) {
                    return 40_000 + containerPort;
                }

                @Override
                public List<Integer> getAll() {
                    return List.of(45_672, 48_161);
                }

                @Override
                public List<Integer> getAll(String protocol) {
                    return getAll();
                }
            };
        }
    }

    @Test
    void connectsToAServiceOfTheImage() throws Exception {
        RingtableConnectionDetails details = details(Service.of("ringtable/ringtable:0.2.0", PLAIN));

        assertThat(details.getUris()).containsExactly("amqp://127.0.0.1:45672");
        assertThat(details.getUser()).isEqualTo("shop");
        assertThat(details.getPassword()).isEqualTo("hush");
    }

    @Test
    void connectsToAnImageFromAnotherRegistryAndToALabelledOne() throws Exception {
        assertThat(details(Service.of("registry.example/ringtable/ringtable", PLAIN)))
                .isNotNull();
        assertThat(details(new Service(
                        ImageReference.of("ourcompany/broker:7"),
                        PLAIN,
                        Map.of("org.springframework.boot.service-connection", "ringtable/ringtable"))))
                .isNotNull();
    }

    @Test
    void leavesOtherServicesAlone() throws Exception {
        assertThat(details(Service.of("rabbitmq:4", Map.of()))).isNull();
    }

    @Test
    void connectsWithoutANameWhereTheBrokerAsksForNone() throws Exception {
        RingtableConnectionDetails details = details(Service.of("ringtable/ringtable:0.2.0", Map.of()));

        assertThat(details.getUser()).isNull();
        assertThat(details.getPassword()).isNull();
    }

    @Test
    void takesThePasswordOfAHashFromTheApplication() throws Exception {
        Service hashed = Service.of(
                "ringtable/ringtable:0.2.0",
                Map.of(
                        "RINGTABLE_SECURITY_USERS_0_NAME", "shop",
                        "RINGTABLE_SECURITY_USERS_0_PASSWORD", "{bcrypt}$2a$10$abcdefghijklmnopqrstuv"));
        MockEnvironment application = new MockEnvironment().withProperty("ringtable.client.password", "hush");

        RingtableConnectionDetails details = details(hashed, application);

        assertThat(details.getUser()).isEqualTo("shop");
        assertThat(details.getPassword()).isEqualTo("hush");
    }

    private static RingtableConnectionDetails details(RunningService service) throws Exception {
        return details(service, new MockEnvironment());
    }

    /** Asks as Spring Boot asks for each service of a file; only Boot itself may make the question. */
    private static RingtableConnectionDetails details(RunningService service, Environment application)
            throws Exception {
        DockerComposeConnectionSource source = ReflectionUtils.accessibleConstructor(
                        DockerComposeConnectionSource.class, RunningService.class, Environment.class)
                .newInstance(service, application);
        Map<Class<?>, ConnectionDetails> found =
                new ConnectionDetailsFactories(null).getConnectionDetails(source, false);
        return (RingtableConnectionDetails) found.get(RingtableConnectionDetails.class);
    }
}
