package io.ringtable.broker;

import io.micrometer.core.instrument.MeterRegistry;
import io.ringtable.broker.admin.BrokerLiveness;
import io.ringtable.broker.admin.ShardHealth;
import io.ringtable.broker.admin.StatusController;
import io.ringtable.broker.admin.Users;
import io.ringtable.broker.amqp.login.LoginRules;
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
import io.ringtable.broker.watermark.DiskGauge;
import io.ringtable.broker.watermark.Gauge;
import io.ringtable.broker.watermark.HeapGauge;
import io.ringtable.broker.watermark.Watermarks;
import java.util.ArrayList;
import java.util.List;
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
        return ShardSettings.of(root, ring, commit, dispatch, inbox, restart);
    }

    @Bean
    StoreSettings storeSettings(RingtableProperties root, StoreProperties store) {
        return new StoreSettings(store, root.dataDir());
    }

    @Bean
    LoginRules loginRules(AmqpProperties amqp, SecurityProperties security, Environment environment) {
        RemoteAccess.checkHttp(environment, security);
        Users users = new Users(security);
        RemoteAccess.checkAmqp(amqp, security);
        return new LoginRules(security, users.isEmpty() ? null : users);
    }

    /** The database of a server guards its own disk. */
    @Bean
    Watermarks watermarks(WatermarkProperties watermark, RingtableProperties root, StoreProperties store) {
        List<Gauge> gauges = new ArrayList<>();
        gauges.add(new HeapGauge(watermark.heapPercent()));
        long free = watermark.freeDiskBytes().toBytes();
        if (free > 0 && store.url() == null) {
            gauges.add(new DiskGauge(root.dataDir(), free));
        }
        return new Watermarks(gauges);
    }

    @Bean
    CommitMeters commitMeters(MeterRegistry registry) {
        return new CommitMeters(registry);
    }

    /** Makes the broker; {@link BrokerLifecycle} starts and closes it, in the order that clients need. */
    @Bean(destroyMethod = "")
    RingtableBroker ringtableBroker(
            StoreSettings store,
            ShardSettings shard,
            AmqpProperties amqp,
            LoginRules logins,
            CommitMeters meters,
            Watermarks watermarks) {
        return new RingtableBroker(store, shard, amqp, logins, meters, watermarks);
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
            AmqpProperties amqp,
            ObjectProvider<BuildProperties> build) {
        return new BrokerLifecycle(broker, sampler, meters, amqp, version(build));
    }

    private static String version(ObjectProvider<BuildProperties> build) {
        BuildProperties properties = build.getIfAvailable();
        return properties == null ? "(not packaged)" : properties.getVersion();
    }
}
