package io.ringtable.spring.boot;

import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/** Takes the connection's details from the properties, and the SSL bundle from the application's, by its name. */
final class PropertiesRingtableConnectionDetails implements RingtableConnectionDetails {
    private final RingtableClientProperties properties;
    private final ObjectProvider<SslBundles> bundles;

    PropertiesRingtableConnectionDetails(RingtableClientProperties properties, ObjectProvider<SslBundles> bundles) {
        this.properties = properties;
        this.bundles = bundles;
    }

    @Override
    public List<String> getUris() {
        return properties.uris();
    }

    @Override
    public String getUser() {
        return properties.user();
    }

    @Override
    public String getPassword() {
        return properties.password();
    }

    /** Asks anew each time, so that a bundle that was reloaded serves the next connection. */
    @Override
    public SslBundle getSslBundle() {
        String name = properties.ssl().bundle();
        return name == null || name.isBlank() ? null : bundles.getObject().getBundle(name);
    }
}
