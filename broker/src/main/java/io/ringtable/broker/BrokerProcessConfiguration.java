package io.ringtable.broker;

import io.ringtable.broker.admin.BrokerLiveness;
import io.ringtable.broker.admin.ShardHealth;
import io.ringtable.broker.admin.StatusController;
import io.ringtable.broker.admin.console.ConsoleConfiguration;
import io.ringtable.broker.admin.http.HttpConfiguration;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.config.RingtableProperties;
import io.ringtable.broker.config.SecurityProperties;
import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.login.WaitingLogins;
import io.ringtable.broker.management.Management;
import io.ringtable.broker.metrics.BrokerMeters;
import io.ringtable.broker.metrics.CommitMeters;
import io.ringtable.broker.metrics.StatusSampler;
import io.ringtable.broker.store.jdbc.StoreSettings;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.info.BuildProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * Makes a process of its own of the broker: HTTP with status and health, start and stop. An application that embeds the
 * broker has its own ways for these.
 */
@Configuration(proxyBeanMethods = false)
@Import({HttpConfiguration.class, ConsoleConfiguration.class})
class BrokerProcessConfiguration {

    /** Refuses an HTTP server that other machines reach by accident, before anything is opened. */
    BrokerProcessConfiguration(Environment environment, SecurityProperties security) {
        RemoteAccess.checkHttp(environment, security);
    }

    @Bean
    StoreSettings storeSettings(RingtableProperties root, StoreProperties store) {
        return new StoreSettings(store, root.dataDir());
    }

    /** Makes the bean whose name is the readiness group's member in application.yaml. */
    @Bean("shard")
    HealthIndicator shardHealth(RingtableBroker broker, CommitMeters meters) {
        return new ShardHealth(broker::status, meters::trouble, broker::inboxTrouble);
    }

    /** Makes the bean whose name is the liveness group's member in application.yaml. */
    @Bean("broker")
    HealthIndicator brokerLiveness(RingtableBroker broker) {
        return new BrokerLiveness(broker::state);
    }

    @Bean
    Management management(RingtableBroker broker) {
        return broker.management();
    }

    @Bean
    WaitingLogins httpLogins(RingtableBroker broker) {
        return new WaitingLogins(broker.logins());
    }

    @Bean
    StatusController statusController(
            RingtableBroker broker, StatusSampler sampler, ObjectProvider<BuildProperties> build) {
        return new StatusController(
                broker::status, broker::inboxTrouble, sampler, broker.amqpCounters().connections::sum, version(build));
    }

    @Bean
    BrokerLifecycle brokerLifecycle(
            RingtableBroker broker,
            StatusSampler sampler,
            BrokerMeters meters,
            AmqpProperties amqp,
            ObjectProvider<BuildProperties> build) {
        return new BrokerLifecycle(broker, sampler, meters, amqp, version(build));
    }

    private static String version(ObjectProvider<BuildProperties> build) {
        BuildProperties properties = build.getIfAvailable();
        return properties == null ? "(not packaged)" : properties.getVersion();
    }
}
