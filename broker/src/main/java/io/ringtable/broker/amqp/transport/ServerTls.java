package io.ringtable.broker.amqp.transport;

import io.netty.handler.ssl.SslContext;
import io.ringtable.broker.config.AmqpProperties.Tls;
import io.ringtable.broker.config.ConfigurationRefused;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives each new connection its TLS. Files are read at every start of the server; the keys of a bundle may be renewed
 * while it runs. Connections that are open stay as they are.
 * <p>
 * Thread: any.
 */
public final class ServerTls {
    private static final Logger LOG = LoggerFactory.getLogger(ServerTls.class);

    private final Tls settings;
    private volatile SslContext current; // written at the start, and by whoever renews the bundle
    private volatile SslContext ofRelays; // the same of a bundle, for connections to other nodes

    /** Takes TLS from files, or has none: what the settings say. @throws ConfigurationRefused if they name a bundle */
    public ServerTls(Tls settings) {
        if (settings.bundle() != null) {
            throw new ConfigurationRefused(
                    "RT-1127",
                    "ringtable.amqp.tls.bundle=" + settings.bundle() + " needs an application of Spring Boot, which has"
                            + " bundles: name files instead");
        }
        this.settings = settings;
    }

    /** Takes TLS from a bundle. @throws StartFailure if the keys cannot be read or used */
    public ServerTls(Tls settings, Supplier<TlsKeys> keys) {
        this.settings = settings;
        try {
            use(keys.get());
        } catch (SSLException | RuntimeException e) {
            throw new StartFailure(
                    "RT-4005 " + settings + " is unusable: " + e.getMessage() + ": check spring.ssl.bundle", e);
        }
    }

    private void use(TlsKeys keys) throws SSLException {
        SslContext toNodes = TlsContext.toNodes(keys);
        current = TlsContext.ofKeys(settings, keys);
        ofRelays = toNodes;
    }

    /** Lets new connections use other keys, unless these cannot be read or used: then the former ones stay. */
    public void renew(Supplier<TlsKeys> keys) {
        try {
            use(keys.get());
            LOG.info("{} has been reloaded: new connections get it", settings);
        } catch (SSLException | RuntimeException e) {
            LOG.error(
                    "RT-4006 {} was reloaded and is unusable: {}: new connections get the former certificate; check"
                            + " spring.ssl.bundle",
                    settings,
                    e.getMessage());
        }
    }

    /** Reads the files, where there are some. @throws StartFailure if they cannot be used */
    public void load() {
        if (settings.isConfigured() && settings.bundle() == null) {
            current = TlsContext.ofFiles(settings);
        }
    }

    /**
     * Returns what connections to other nodes use now. They show this node's certificate, and trust what the broker's
     * settings or its bundle trust; without either, what Java trusts.
     */
    public SslContext ofRelays() {
        return settings.bundle() == null ? TlsContext.toNodes(settings) : ofRelays;
    }

    /** Returns what new connections use now; null if they have no TLS. */
    public SslContext current() {
        return current;
    }
}
