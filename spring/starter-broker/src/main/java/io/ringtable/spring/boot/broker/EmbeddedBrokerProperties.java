package io.ringtable.spring.boot.broker;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Says whether and where the application runs a broker. Everything else is the broker's own:
 * {@code ringtable.data-dir}, {@code ringtable.amqp.*} and so on.
 *
 * @param enabled Whether the application runs a broker in its process.
 * @param dataSource Name of the bean of the DataSource in whose database the broker stores, in a schema of its own.
 *     Without one the broker stores in a file in ringtable.data-dir, or where ringtable.store.url says.
 */
@ConfigurationProperties("ringtable.embedded")
public record EmbeddedBrokerProperties(@DefaultValue("true") boolean enabled, String dataSource) {

    /** Treats an empty name, as a script may leave it, as missing. */
    public EmbeddedBrokerProperties {
        dataSource = dataSource == null || dataSource.isBlank() ? null : dataSource;
    }
}
