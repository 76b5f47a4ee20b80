package io.ringtable.spring.boot.client;

import io.micrometer.core.instrument.MeterRegistry;
import io.ringtable.client.ClientBuilder;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.RingtableException;
import io.ringtable.spring.boot.RingtableClientProperties;
import io.ringtable.spring.boot.RingtableConnectionAutoConfiguration;
import io.ringtable.spring.boot.RingtableConnectionDetails;
import io.ringtable.spring.boot.health.BrokerConnections;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import tools.jackson.databind.json.JsonMapper;

/** Makes the SDK's client, which an application that uses only JMS never connects. */
@AutoConfiguration(
        after = RingtableConnectionAutoConfiguration.class,
        afterName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@ConditionalOnClass(RingtableClient.class)
@ImportRuntimeHints(SdkRuntimeHints.class)
public class RingtableClientAutoConfiguration {

    /**
     * Connects when something first asks for the client, and closes it after all that have it.
     *
     * @throws RingtableException as {@link ClientBuilder#connect()}
     */
    @Bean
    @Lazy
    @ConditionalOnMissingBean
    RingtableClient ringtableClient(
            RingtableClientProperties properties,
            RingtableConnectionDetails details,
            BrokerConnections connections,
            ObjectProvider<JsonMapper> json,
            ObjectProvider<RingtableClientCustomizer> customizers) {
        ClientBuilder builder = new ClientSettings(properties, details).builder("ringtableClient");
        json.ifUnique(builder::jsonMapper);
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        try {
            return builder.connect();
        } catch (RingtableException failure) {
            connections.failed(WatchedClient.KIND, failure);
            throw failure;
        }
    }

    @Bean
    static ClientWatcher ringtableClientWatcher(ObjectProvider<BrokerConnections> connections) {
        return new ClientWatcher(connections);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    static class Metrics {

        @Bean
        static ClientMetricsBinder ringtableClientMetrics(ObjectProvider<MeterRegistry> registry) {
            return new ClientMetricsBinder(registry);
        }
    }
}
