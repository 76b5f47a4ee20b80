package io.ringtable.spring.boot.health;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Shows the connections to the broker as the health component {@code ringtable}. */
@AutoConfiguration
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnEnabledHealthIndicator("ringtable")
public class RingtableHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "ringtableHealthIndicator")
    HealthIndicator ringtableHealthIndicator(BrokerConnections connections) {
        return new RingtableHealthIndicator(connections);
    }
}
