package io.ringtable.spring.boot.client;

import io.micrometer.core.instrument.MeterRegistry;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.micrometer.RingtableClientMetrics;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Shows each client's metrics from the moment that the client is made, by the name of its bean. A {@code MeterBinder}
 * would make the client, and so connect, in an application that never uses it.
 */
final class ClientMetricsBinder implements BeanPostProcessor {
    private final ObjectProvider<MeterRegistry> registry;

    ClientMetricsBinder(ObjectProvider<MeterRegistry> registry) {
        this.registry = registry;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof RingtableClient client) {
            registry.ifUnique(meters -> new RingtableClientMetrics(client, name).bindTo(meters));
        }
        return bean;
    }
}
