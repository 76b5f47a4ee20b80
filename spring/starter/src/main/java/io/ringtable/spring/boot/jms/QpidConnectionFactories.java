package io.ringtable.spring.boot.jms;

import io.ringtable.spring.boot.CheckedSslBundle;
import io.ringtable.spring.boot.RingtableClientProperties;
import io.ringtable.spring.boot.RingtableConnectionDetails;
import io.ringtable.spring.boot.health.BrokerConnections;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.apache.qpid.jms.JmsConnectionExtensions;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;

/** Sets up Qpid JMS: where the broker is, how to log in, what TLS trusts, how long anything may take. */
final class QpidConnectionFactories {
    private final RingtableClientProperties properties;
    private final RingtableConnectionDetails details;
    private final BrokerConnections connections;
    private final List<QpidConnectionFactoryCustomizer> customizers;

    QpidConnectionFactories(
            RingtableClientProperties properties,
            RingtableConnectionDetails details,
            BrokerConnections connections,
            List<QpidConnectionFactoryCustomizer> customizers) {
        this.properties = properties;
        this.details = details;
        this.connections = connections;
        this.customizers = customizers;
    }

    /** @throws IllegalArgumentException RT-5001 for settings that cannot work */
    JmsConnectionFactory create() {
        QpidUri uri = new QpidUri(details.getUris());
        SslBundle bundle = CheckedSslBundle.of(details);
        timeouts(uri);
        tls(uri, bundle);
        properties.jms().options().forEach(uri::option);

        JmsConnectionFactory factory = new WatchedConnectionFactory(uri.toString(), connections);
        String user = details.getUser() == null ? uri.user() : details.getUser();
        if (user != null) {
            factory.setUsername(user);
            factory.setPassword(details.getPassword());
        }
        if (bundle != null) {
            factory.setExtension(JmsConnectionExtensions.SSL_CONTEXT.toString(), (connection, broker) -> context());
        }
        customizers.forEach(customizer -> customizer.customize(factory));
        return factory;
    }

    private void timeouts(QpidUri uri) {
        uri.option("jms.connectTimeout", properties.connectTimeout().toMillis())
                .option("jms.requestTimeout", properties.requestTimeout().toMillis())
                .option("jms.sendTimeout", properties.publishTimeout().toMillis())
                .option("jms.closeTimeout", properties.closeTimeout().toMillis())
                .option("amqp.idleTimeout", properties.idleTimeout().toMillis())
                .option("transport.connectTimeout", properties.connectTimeout().toMillis())
                // Listeners poll every second; each poll would ask the broker, and wait for it while it is away.
                .option("jms.receiveLocalOnly", true)
                .option(
                        "failover.reconnectDelay",
                        properties.reconnect().firstDelay().toMillis())
                .option(
                        "failover.maxReconnectDelay",
                        properties.reconnect().longestDelay().toMillis())
                // A caller hears at once that no broker answers; listeners try again by themselves.
                .option("failover.startupMaxReconnectAttempts", 1);
    }

    private void tls(QpidUri uri, SslBundle bundle) {
        uri.option("transport.verifyHost", properties.ssl().verifyHost());
        if (bundle == null) {
            return;
        }
        SslOptions options = bundle.getOptions();
        if (options.getEnabledProtocols() != null) {
            uri.option("transport.enabledProtocols", String.join(",", options.getEnabledProtocols()));
        }
        if (options.getCiphers() != null) {
            uri.option("transport.enabledCipherSuites", String.join(",", options.getCiphers()));
        }
    }

    /** Asks for the bundle at each connection, so that a renewed certificate serves the next one. */
    private SSLContext context() {
        return details.getSslBundle().createSslContext();
    }
}
