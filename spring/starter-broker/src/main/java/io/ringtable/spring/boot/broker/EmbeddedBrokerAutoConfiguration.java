package io.ringtable.spring.boot.broker;

import io.ringtable.broker.BrokerConfiguration;
import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.admin.ShardHealth;
import io.ringtable.broker.admin.StatusController;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.RingtableProperties;
import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.metrics.BrokerMeters;
import io.ringtable.broker.metrics.CommitMeters;
import io.ringtable.broker.metrics.StatusSampler;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.spring.boot.RingtableConnectionDetails;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/** Runs the broker in the application, and leads the application's clients to it. */
@AutoConfiguration(
        beforeName = "io.ringtable.spring.boot.RingtableConnectionAutoConfiguration",
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "ringtable.embedded.enabled", matchIfMissing = true)
@EnableConfigurationProperties(EmbeddedBrokerProperties.class)
@Import(BrokerConfiguration.class)
public class EmbeddedBrokerAutoConfiguration {

    @Bean
    StoreSettings ringtableStoreSettings(
            RingtableProperties root,
            StoreProperties store,
            EmbeddedBrokerProperties embedded,
            ListableBeanFactory beans) {
        if (embedded.dataSource() == null) {
            return new StoreSettings(store, root.dataDir());
        }
        Map<String, DataSource> known = beans.getBeansOfType(DataSource.class);
        DataSource named = known.get(embedded.dataSource());
        if (named == null) {
            throw new ConfigurationRefused(
                    "RT-1155",
                    "ringtable.embedded.data-source=" + embedded.dataSource()
                            + " is no bean of a DataSource; there are " + known.keySet()
                            + ": name one of them, or remove it to store in a file");
        }
        return new StoreSettings(new StoreOfDataSource(embedded.dataSource(), store).of(named), root.dataDir());
    }

    /** Starts the broker, even where the application creates its beans late: other programs may wait for it. */
    @Bean
    @Lazy(false)
    EmbeddedBroker embeddedRingtableBroker(
            RingtableBroker broker, StatusSampler sampler, BrokerMeters meters, AmqpProperties amqp) {
        return new EmbeddedBroker(broker, sampler, meters, amqp);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RingtableConnectionDetails.class)
    static class ClientConfiguration {

        @Bean
        @ConditionalOnMissingBean(RingtableConnectionDetails.class)
        EmbeddedConnectionDetails ringtableConnectionDetails(EmbeddedBroker broker, Environment environment) {
            return new EmbeddedConnectionDetails(broker, environment);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    static class HealthConfiguration {

        @Bean
        @ConditionalOnMissingBean(name = "ringtableBrokerHealthIndicator")
        @ConditionalOnEnabledHealthIndicator("ringtable-broker")
        HealthIndicator ringtableBrokerHealthIndicator(EmbeddedBroker embedded, CommitMeters meters) {
            RingtableBroker broker = embedded.broker();
            return new ShardHealth(broker::status, meters::trouble, broker::inboxTrouble);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    static class EndpointConfiguration {

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint
        RingtableEndpoint ringtableEndpoint(EmbeddedBroker embedded, StatusSampler sampler) {
            RingtableBroker broker = embedded.broker();
            String version = RingtableBroker.class.getPackage().getImplementationVersion();
            return new RingtableEndpoint(new StatusController(
                    broker::status,
                    broker::inboxTrouble,
                    sampler,
                    broker.amqpCounters().connections::sum,
                    version == null ? "(not packaged)" : version)::status);
        }
    }
}
