package io.ringtable.broker;

import io.micrometer.core.instrument.MeterRegistry;
import io.ringtable.broker.admin.BrokerLiveness;
import io.ringtable.broker.admin.ShardHealth;
import io.ringtable.broker.admin.StatusController;
import io.ringtable.broker.admin.Users;
import io.ringtable.broker.amqp.settings.AmqpSettings;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.config.CommitProperties;
import io.ringtable.broker.config.DispatchProperties;
import io.ringtable.broker.config.InboxProperties;
import io.ringtable.broker.config.MetricsProperties;
import io.ringtable.broker.config.RestartProperties;
import io.ringtable.broker.config.RingProperties;
import io.ringtable.broker.config.RingtableProperties;
import io.ringtable.broker.config.SecurityProperties;
import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.config.WatermarkProperties;
import io.ringtable.broker.metrics.BrokerMeters;
import io.ringtable.broker.metrics.CommitMeters;
import io.ringtable.broker.metrics.StatusSampler;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.watermark.Watermarks;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.info.BuildProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Puts the broker together from its properties, with its health, its status and its metrics. */
@Configuration(proxyBeanMethods = false)
class BrokerConfiguration {

    @Bean
    ShardSettings shardSettings(
            RingtableProperties root,
            RingProperties ring,
            CommitProperties commit,
            DispatchProperties dispatch,
            InboxProperties inbox,
            RestartProperties restart) {
        return Settings.shard(root, ring, commit, dispatch, inbox, restart);
    }

    @Bean
    StoreSettings storeSettings(RingtableProperties root, StoreProperties store) {
        return Settings.store(root, store);
    }

    @Bean
    AmqpSettings amqpSettings(AmqpProperties amqp, SecurityProperties security, Environment environment) {
        Settings.http(environment, security);
        return Settings.amqp(amqp, security, new Users(security));
    }

    @Bean
    Watermarks watermarks(WatermarkProperties watermark, RingtableProperties root, StoreProperties store) {
        return Settings.watermarks(watermark, root, store);
    }

    @Bean
    CommitMeters commitMeters(MeterRegistry registry) {
        return new CommitMeters(registry);
    }

    /** {@link BrokerLifecycle} starts and closes it, in the order that clients need. */
    @Bean(destroyMethod = "")
    RingtableBroker ringtableBroker(
            StoreSettings store, ShardSettings shard, AmqpSettings amqp, CommitMeters meters, Watermarks watermarks) {
        return new RingtableBroker(store, shard, amqp, meters, watermarks);
    }

    @Bean
    StatusSampler statusSampler(RingtableBroker broker) {
        return new StatusSampler(broker::status, broker.amqpCounters());
    }

    @Bean
    BrokerMeters brokerMeters(
            MeterRegistry registry, StatusSampler sampler, RingtableBroker broker, MetricsProperties metrics) {
        return new BrokerMeters(
                registry, sampler, broker.amqpCounters(), broker::storeCounters, metrics.subscriptionsMax());
    }

    /** Its name is that of the readiness group's member in application.yaml. */
    @Bean("shard")
    HealthIndicator shardHealth(RingtableBroker broker, CommitMeters meters) {
        return new ShardHealth(broker::status, meters::trouble, broker::inboxTrouble);
    }

    /** Its name is that of the liveness group's member in application.yaml. */
    @Bean("broker")
    HealthIndicator brokerLiveness(RingtableBroker broker) {
        return new BrokerLiveness(broker::state);
    }

    @Bean
    StatusController statusController(
            RingtableBroker broker, StatusSampler sampler, ObjectProvider<BuildProperties> build) {
        return new StatusController(
                broker::status, broker::inboxTrouble, sampler, broker.amqpCounters(), version(build));
    }

    @Bean
    BrokerLifecycle brokerLifecycle(
            RingtableBroker broker,
            StatusSampler sampler,
            BrokerMeters meters,
            AmqpSettings amqp,
            ObjectProvider<BuildProperties> build) {
        return new BrokerLifecycle(broker, sampler, meters, amqp, version(build));
    }

    private static String version(ObjectProvider<BuildProperties> build) {
        BuildProperties properties = build.getIfAvailable();
        return properties == null ? "(not packaged)" : properties.getVersion();
    }
}
