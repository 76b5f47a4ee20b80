package io.ringtable.broker;

import io.ringtable.broker.admin.JwtTokens;
import io.ringtable.broker.admin.Users;
import io.ringtable.broker.amqp.transport.ServerTls;
import io.ringtable.broker.amqp.transport.TlsKeys;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.config.Bound;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.RingtableProperties;
import io.ringtable.broker.config.SecurityProperties;
import io.ringtable.broker.config.WatermarkProperties;
import io.ringtable.broker.login.LoginRules;
import io.ringtable.broker.login.NodeLogin;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.watermark.DiskGauge;
import io.ringtable.broker.watermark.Gauge;
import io.ringtable.broker.watermark.HeapGauge;
import io.ringtable.broker.watermark.Watermarks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslManagerBundle;
import org.springframework.boot.ssl.SslOptions;

/** Makes the parts of a broker from its properties, for a broker with Spring and for one without. */
final class BrokerParts {
    private BrokerParts() {}

    /** Says who may log in, from properties by name. */
    static LoginRules logins(AmqpProperties amqp, Map<String, ?> properties) {
        return logins(
                amqp,
                Bound.of(SecurityProperties.class, properties),
                Bound.of(RingtableProperties.class, properties).cluster());
    }

    /** Says who may log in. Refuses AMQP that other machines reach although there are no users. */
    static LoginRules logins(AmqpProperties amqp, SecurityProperties security, RingtableProperties.Cluster cluster) {
        LoginRules rules = rules(amqp, security, cluster);
        RemoteAccess.checkAmqp(amqp, security);
        return rules;
    }

    /** Says who may log in, wherever the broker listens. */
    static LoginRules rules(AmqpProperties amqp, SecurityProperties security, RingtableProperties.Cluster cluster) {
        return new LoginRules(
                security,
                new Users(security),
                security.oauth().jwks() == null ? null : new JwtTokens(security.oauth()),
                amqp.tls().userFrom(),
                new NodeLogin(cluster.user(), cluster.password()));
    }

    /**
     * Says what gives connections their TLS. Follows a bundle when it is reloaded.
     *
     * @param bundles of the application; null if it has none
     */
    static ServerTls tls(AmqpProperties amqp, SslBundles bundles) {
        String name = amqp.tls().bundle();
        if (name == null || bundles == null) {
            return new ServerTls(amqp.tls());
        }
        try {
            SslBundle now = bundles.getBundle(name);
            ServerTls tls = new ServerTls(amqp.tls(), () -> keys(now));
            bundles.addBundleUpdateHandler(name, renewed -> tls.renew(() -> keys(renewed)));
            return tls;
        } catch (NoSuchSslBundleException e) {
            throw new ConfigurationRefused(
                    "RT-1128",
                    "ringtable.amqp.tls.bundle=" + name + " is not among " + bundles.getBundleNames()
                            + ": configure it below spring.ssl.bundle");
        }
    }

    private static TlsKeys keys(SslBundle bundle) {
        SslManagerBundle managers = bundle.getManagers();
        SslOptions options = bundle.getOptions();
        return new TlsKeys(
                managers.getKeyManagerFactory(),
                bundle.getStores().getTrustStore() == null ? null : managers.getTrustManagerFactory(),
                options.getEnabledProtocols() == null ? null : List.of(options.getEnabledProtocols()),
                options.getCiphers() == null ? null : List.of(options.getCiphers()));
    }

    /** Watches the heap, and the disk of an embedded file: the database of a server guards its own. */
    static Watermarks watermarks(WatermarkProperties watermark, StoreSettings store) {
        List<Gauge> gauges = new ArrayList<>();
        gauges.add(new HeapGauge(watermark.heapPercent()));
        long free = watermark.freeDiskBytes().toBytes();
        if (free > 0 && store.properties().url() == null) {
            gauges.add(new DiskGauge(store.dataDir(), free));
        }
        return new Watermarks(gauges);
    }
}
