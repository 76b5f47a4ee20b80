package io.ringtable.spring.boot;

import io.ringtable.spring.boot.health.BrokerConnections;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;

/** Says where the broker is, for all that connects. */
@AutoConfiguration(after = SslAutoConfiguration.class)
@EnableConfigurationProperties(RingtableClientProperties.class)
public class RingtableConnectionAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(RingtableConnectionDetails.class)
    PropertiesRingtableConnectionDetails ringtableConnectionDetails(
            RingtableClientProperties properties, ObjectProvider<SslBundles> bundles) {
        return new PropertiesRingtableConnectionDetails(properties, bundles);
    }

    @Bean
    BrokerConnections ringtableBrokerConnections() {
        return new BrokerConnections();
    }
}
