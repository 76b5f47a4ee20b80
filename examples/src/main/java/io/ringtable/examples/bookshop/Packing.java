package io.ringtable.examples.bookshop;

import jakarta.jms.ConnectionFactory;
import org.springframework.boot.jms.ConnectionFactoryUnwrapper;
import org.springframework.boot.jms.autoconfigure.DefaultJmsListenerContainerFactoryConfigurer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jms.config.DefaultJmsListenerContainerFactory;

/** Configures the listener that packs, for whatever fails there; all others are as the starter makes them. */
@Configuration(proxyBeanMethods = false)
class Packing {
    @Bean
    DefaultJmsListenerContainerFactory packers(
            ConnectionFactory connections, DefaultJmsListenerContainerFactoryConfigurer defaults) {
        DefaultJmsListenerContainerFactory factory = new DefaultJmsListenerContainerFactory();
        defaults.configure(factory, ConnectionFactoryUnwrapper.unwrapCaching(connections));
        factory.setErrorHandler(
                failure -> System.out.println("warehouse: " + failure.getCause().getMessage() + ", rolled back"));
        return factory;
    }
}
