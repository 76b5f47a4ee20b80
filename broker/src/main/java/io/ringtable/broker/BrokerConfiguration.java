package io.ringtable.broker;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.ringtable.broker.amqp.transport.ServerTls;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.config.CommitProperties;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.DispatchProperties;
import io.ringtable.broker.config.InboxProperties;
import io.ringtable.broker.config.MetricsProperties;
import io.ringtable.broker.config.RestartProperties;
import io.ringtable.broker.config.RingProperties;
import io.ringtable.broker.config.RingtableProperties;
import io.ringtable.broker.config.SecurityProperties;
import io.ringtable.broker.config.TracingProperties;
import io.ringtable.broker.config.WatermarkProperties;
import io.ringtable.broker.login.LoginRules;
import io.ringtable.broker.metrics.BrokerMeters;
import io.ringtable.broker.metrics.CommitMeters;
import io.ringtable.broker.metrics.StatusSampler;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.trace.StepQueue;
import io.ringtable.broker.trace.StepWriter;
import io.ringtable.broker.watermark.Watermarks;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Puts the broker together from its properties, with its metrics, for a Spring application that imports this class.
 * Needs no web server. Meters go to the application's {@link MeterRegistry}, if there is one.
 * <p>
 * The importing application says where the store is, with a bean of {@link StoreSettings}. The configuration starts the
 * broker and its {@link StatusSampler}, and closes the broker. Names of beans begin with {@code ringtable}, so that
 * they meet none of the application's.
 */
@Configuration(proxyBeanMethods = false)
@Import(TracingConfiguration.class)
@ConfigurationPropertiesScan(basePackageClasses = RingtableProperties.class)
public class BrokerConfiguration {

    @Bean
    ShardSettings ringtableShardSettings(
            RingtableProperties root,
            RingProperties ring,
            CommitProperties commit,
            DispatchProperties dispatch,
            InboxProperties inbox,
            RestartProperties restart) {
        return ShardSettings.of(root, ring, commit, dispatch, inbox, restart);
    }

    @Bean
    LoginRules ringtableLoginRules(AmqpProperties amqp, SecurityProperties security, RingtableProperties root) {
        return BrokerParts.logins(amqp, security, root.cluster());
    }

    @Bean
    ServerTls ringtableServerTls(AmqpProperties amqp, ObjectProvider<SslBundles> bundles) {
        return BrokerParts.tls(amqp, bundles.getIfAvailable());
    }

    @Bean
    Watermarks ringtableWatermarks(WatermarkProperties watermark, StoreSettings store) {
        return BrokerParts.watermarks(watermark, store);
    }

    @Bean
    CommitMeters ringtableCommitMeters(ObjectProvider<MeterRegistry> registry, ShardSettings shard) {
        return new CommitMeters(registry.getIfAvailable(SimpleMeterRegistry::new), shard.shards());
    }

    /** Makes what hears of sampled messages; its queue is emptied before the tracer closes. */
    @Bean
    MessageTraces ringtableTraces(TracingProperties tracing, ObjectProvider<StepWriter> writer) {
        if (!tracing.enabled()) {
            return MessageTraces.OFF;
        }
        StepWriter found = writer.getIfAvailable();
        if (found == null) {
            throw new ConfigurationRefused(
                    "RT-1171",
                    "ringtable.tracing.enabled=true, and Micrometer Tracing is not on the class path: add"
                            + " spring-boot-starter-opentelemetry, or switch the tracing of the broker off");
        }
        return new StepQueue(found, tracing.messagesPerSecond());
    }

    /** Makes the broker, and does not start it. */
    @Bean(destroyMethod = "")
    RingtableBroker ringtableBroker(
            StoreSettings store,
            ShardSettings shard,
            AmqpProperties amqp,
            ServerTls tls,
            LoginRules logins,
            CommitMeters meters,
            Watermarks watermarks,
            MessageTraces traces) {
        return new RingtableBroker(store, shard, amqp, tls, logins, meters, watermarks, traces);
    }

    @Bean
    StatusSampler ringtableStatusSampler(RingtableBroker broker, CommitMeters meters) {
        return new StatusSampler(broker::status, broker::traffic, broker.amqpCounters(), meters::flushTimes);
    }

    @Bean
    BrokerMeters ringtableBrokerMeters(
            ObjectProvider<MeterRegistry> registry,
            StatusSampler sampler,
            RingtableBroker broker,
            MessageTraces traces,
            MetricsProperties metrics,
            ShardSettings shard) {
        return new BrokerMeters(
                registry.getIfAvailable(SimpleMeterRegistry::new),
                sampler,
                broker.amqpCounters(),
                broker::storeOf,
                broker::storeCounters,
                broker::storeLimits,
                broker::inboxTrouble,
                traces,
                metrics.subscriptionsMax(),
                shard.lease(),
                shard.shards());
    }
}
