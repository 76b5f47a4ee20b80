package io.ringtable.spring.boot.client;

import io.ringtable.client.RingtableClient;
import io.ringtable.spring.boot.health.BrokerConnections;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Lets health watch each client that is a bean, the application's own as well, from the moment that it is made. */
final class ClientWatcher implements BeanPostProcessor {
    private final ObjectProvider<BrokerConnections> connections;

    ClientWatcher(ObjectProvider<BrokerConnections> connections) {
        this.connections = connections;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof RingtableClient client) {
            connections.getObject().opened(new WatchedClient(client));
        }
        return bean;
    }
}
