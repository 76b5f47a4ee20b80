package io.ringtable.testcontainers;

import io.ringtable.spring.boot.RingtableConnectionDetails;
import java.util.List;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.core.env.Environment;

/**
 * Connects an application to a broker in its compose file: a service of the image {@code ringtable/ringtable}, or one
 * with the label {@code org.springframework.boot.service-connection: ringtable/ringtable}.
 */
final class RingtableComposeConnectionDetailsFactory
        extends DockerComposeConnectionDetailsFactory<RingtableConnectionDetails> {

    RingtableComposeConnectionDetailsFactory() {
        super("ringtable/ringtable");
    }

    @Override
    protected RingtableConnectionDetails getDockerComposeConnectionDetails(DockerComposeConnectionSource source) {
        return new Details(source.getRunningService(), source.getEnvironment());
    }

    /**
     * Logs in as the first user of the service's environment. A hashed password cannot be turned back, so that user's
     * password, or another user, comes from {@code ringtable.client}.
     */
    private static final class Details extends DockerComposeConnectionDetails implements RingtableConnectionDetails {
        private static final String FIRST_USER = "RINGTABLE_SECURITY_USERS_0_";
        private static final String PLAIN = "{noop}";

        private final SslBundle sslBundle;
        private final String uri;
        private final String user;
        private final String password;

        Details(RunningService service, Environment application) {
            super(service);
            sslBundle = getSslBundle(service);
            uri = (sslBundle == null ? "amqp://" : "amqps://") + service.host() + ":"
                    + service.ports().get(RingtableContainer.AMQP_PORT);
            String first = service.env().get(FIRST_USER + "NAME");
            String stored = service.env().getOrDefault(FIRST_USER + "PASSWORD", "");
            boolean plain = first != null && stored.startsWith(PLAIN);
            user = plain ? first : application.getProperty("ringtable.client.user", first);
            password = plain ? stored.substring(PLAIN.length()) : application.getProperty("ringtable.client.password");
        }

        @Override
        public List<String> getUris() {
            return List.of(uri);
        }

        /** Returns the bundle that a label of the service names: then the service has TLS. */
        @Override
        public SslBundle getSslBundle() {
            return sslBundle;
        }

        @Override
        public String getUser() {
            return user;
        }

        @Override
        public String getPassword() {
            return password;
        }
    }
}
