package io.ringtable.examples.bookshop;

import jakarta.jms.ConnectionFactory;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jms.connection.CachingConnectionFactory;

/** Tells Spring all it has to know about the broker. */
@Configuration(proxyBeanMethods = false)
class Connecting {
    /** Keeps one connection with its sessions and producers. A cached consumer would go on taking messages. */
    @Bean
    ConnectionFactory connectionFactory(@Value("${bookshop.broker}") String url) {
        CachingConnectionFactory connections = new CachingConnectionFactory(new JmsConnectionFactory(url));
        connections.setCacheConsumers(false);
        return connections;
    }
}
