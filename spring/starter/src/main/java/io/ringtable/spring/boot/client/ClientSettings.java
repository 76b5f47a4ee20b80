package io.ringtable.spring.boot.client;

import io.ringtable.client.ClientBuilder;
import io.ringtable.client.InFlightLimit;
import io.ringtable.client.Reconnect;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.TlsOptions;
import io.ringtable.spring.boot.CheckedSslBundle;
import io.ringtable.spring.boot.RefusedSettings;
import io.ringtable.spring.boot.RingtableClientProperties;
import io.ringtable.spring.boot.RingtableConnectionDetails;
import java.util.List;
import org.springframework.boot.ssl.SslBundle;

/** Lays the application's settings into a builder of the SDK's, which refuses those that cannot work. */
final class ClientSettings {
    private final RingtableClientProperties properties;
    private final RingtableConnectionDetails details;

    ClientSettings(RingtableClientProperties properties, RingtableConnectionDetails details) {
        this.properties = properties;
        this.details = details;
    }

    /** Makes a builder that has not connected. */
    ClientBuilder builder(String name) {
        ClientBuilder builder = RingtableClient.builder()
                .uris(details.getUris())
                .name(name)
                .tls(tls())
                .connectTimeout(properties.connectTimeout())
                .waitForBroker(properties.waitForBroker())
                .requestTimeout(properties.requestTimeout())
                .publishTimeout(properties.publishTimeout())
                .closeTimeout(properties.closeTimeout())
                .idleTimeout(properties.idleTimeout())
                .reconnect(reconnect())
                .inFlightLimit(new InFlightLimit(
                        properties.inFlight().messages(), properties.inFlight().bytes()))
                .batching(properties.batching());
        if (properties.clientId() != null) {
            builder.clientId(properties.clientId());
        }
        login(builder);
        return builder;
    }

    private void login(ClientBuilder builder) {
        String user = details.getUser();
        boolean hasPassword = details.getPassword() != null;
        if (user != null && !hasPassword) {
            throw RefusedSettings.refused(
                    "ringtable.client.user is '" + user + "', and there is no password",
                    "set ringtable.client.password");
        }
        if (user != null) {
            builder.user(user, details::getPassword);
        } else if (hasPassword) {
            builder.password(details::getPassword); // a URI may name the user
        }
    }

    private Reconnect reconnect() {
        RingtableClientProperties.Reconnect given = properties.reconnect();
        Reconnect reconnect =
                new Reconnect(given.firstDelay(), Reconnect.DEFAULT.factor(), given.longestDelay(), Reconnect.FOREVER);
        return given.giveUpAfter() == null ? reconnect : reconnect.giveUpAfter(given.giveUpAfter());
    }

    /** Asks for the bundle at each connection, so that a renewed certificate serves the next one. */
    private TlsOptions tls() {
        TlsOptions options = TlsOptions.DEFAULT.verifyHost(properties.ssl().verifyHost());
        SslBundle bundle = CheckedSslBundle.of(details);
        if (bundle == null) {
            return options;
        }
        return options.trustManagers(() -> details.getSslBundle().getManagers().getTrustManagerFactory())
                .keyManagers(() -> details.getSslBundle().getManagers().getKeyManagerFactory())
                .protocols(listed(bundle.getOptions().getEnabledProtocols()))
                .ciphers(listed(bundle.getOptions().getCiphers()));
    }

    private static List<String> listed(String[] names) {
        return names == null ? List.of() : List.of(names);
    }
}
