package io.ringtable.broker.config;

import java.nio.file.Path;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What stands directly under {@code ringtable.}; the other records hold the groups.
 *
 * @param dataDir Directory of the embedded SQLite file and of this node's identity; made if it is missing.
 */
@ConfigurationProperties("ringtable")
public record RingtableProperties(@DefaultValue("./data") Path dataDir) {

    /** Every record that holds properties; names outside them are refused. */
    static final List<Class<? extends Record>> RECORDS = List.of(
            RingtableProperties.class,
            AmqpProperties.class,
            StoreProperties.class,
            SecurityProperties.class,
            MetricsProperties.class);
}
