package io.ringtable.examples.bookshop;

import jakarta.jms.ConnectionFactory;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jms.connection.CachingConnectionFactory;

/** All that Spring has to know of the broker. */
@Configuration(proxyBeanMethods = false)
class Connecting {
    /** One connection, sessions and producers kept for the next use; a consumer that was kept would go on taking messages. */
    @Bean
    ConnectionFactory connectionFactory(@Value("${bookshop.broker}") String url) {
        CachingConnectionFactory connections = new CachingConnectionFactory(new JmsConnectionFactory(url));
        connections.setCacheConsumers(false);
        return connections;
    }
}
