package io.ringtable.broker;

import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.SecurityProperties;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.Environment;

/**
 * Refuses a start that would open the broker to other machines by accident, and warns where an operator has allowed it.
 */
final class RemoteAccess {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteAccess.class);

    private RemoteAccess() {}

    static void checkAmqp(AmqpProperties amqp, SecurityProperties security) {
        boolean isOpen = !isLoopback("ringtable.amqp.host", amqp.host());
        if (isOpen && !security.isLoginNeeded() && !security.allowAnonymousRemote()) {
            throw new ConfigurationRefused(
                    "RT-1033",
                    "ringtable.amqp.host=" + amqp.host() + " is open to other machines and ringtable.security.users is"
                            + " empty: add users, listen on 127.0.0.1, or set"
                            + " ringtable.security.allow-anonymous-remote=true");
        }
        if (isOpen && !security.isLoginNeeded()) {
            LOG.warn(
                    "RT-1034 any client that reaches {}:{} may publish and subscribe without a name, as"
                            + " ringtable.security.allow-anonymous-remote=true says",
                    amqp.host(),
                    amqp.port());
        }
        if (isOpen && !amqp.tls().isConfigured()) {
            LOG.warn(
                    "RT-1035 {}:{} is served without TLS: anybody on the network path can read messages{}; set"
                            + " ringtable.amqp.tls.bundle, or ringtable.amqp.tls.certificate and .private-key",
                    amqp.host(),
                    amqp.port(),
                    security.allowPlainRemote() ? " and the passwords of PLAIN" : "");
        }
    }

    /** Checks the addresses of HTTP: other machines need a login and TLS, or the operator's consent to do without. */
    static void checkHttp(Environment environment, SecurityProperties security) {
        checkHttp("server", environment, security);
        if (environment.containsProperty("management.server.address")) {
            checkHttp("management.server", environment, security);
        }
    }

    private static void checkHttp(String server, Environment environment, SecurityProperties security) {
        String property = server + ".address";
        String address = environment.getProperty(property, "");
        if (!address.isBlank() && isLoopback(property, address)) {
            return;
        }
        boolean hasTls = Stream.of("bundle", "certificate", "key-store")
                .anyMatch(key -> environment.containsProperty(server + ".ssl." + key));
        if (security.isLoginNeeded() && hasTls) {
            return;
        }
        String where = address.isBlank() ? property + " is empty and" : property + "=" + address;
        if (!security.allowRemoteHttp()) {
            throw new ConfigurationRefused(
                    "RT-1054",
                    where + " opens HTTP to other machines, "
                            + (security.isLoginNeeded() ? "without TLS" : "and ringtable.security.users is empty")
                            + ": add users and set " + server + ".ssl, serve it on 127.0.0.1 behind a proxy that does"
                            + " both, or set ringtable.security.allow-remote-http=true");
        }
        if (!security.isLoginNeeded()) {
            LOG.warn(
                    "RT-1055 {} lets any client that reaches it administer the broker, as ringtable.security.users is"
                            + " empty and ringtable.security.allow-remote-http=true",
                    where);
        }
        if (!hasTls) {
            LOG.warn(
                    "RT-1056 {} serves HTTP without TLS: anybody on the network path can read its answers; set {}.ssl",
                    where,
                    server);
        }
    }

    private static boolean isLoopback(String property, String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new ConfigurationRefused(
                    "RT-1036", property + "=" + host + " is not known here: name an interface of this machine");
        }
    }
}
