package io.ringtable.examples.bookshop;

import jakarta.jms.ConnectionFactory;
import org.springframework.boot.jms.ConnectionFactoryUnwrapper;
import org.springframework.boot.jms.autoconfigure.DefaultJmsListenerContainerFactoryConfigurer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jms.config.DefaultJmsListenerContainerFactory;

/** Configures the listeners, each with a transacted session ({@code spring.jms.listener.session.transacted}). */
@Configuration(proxyBeanMethods = false)
class Listening {
    /** Makes listeners whose returned value goes to a topic, in one transaction with the message that they took. */
    @Bean
    DefaultJmsListenerContainerFactory replyingToTopics(
            ConnectionFactory connections, DefaultJmsListenerContainerFactoryConfigurer defaults) {
        DefaultJmsListenerContainerFactory factory = listening(connections, defaults);
        factory.setReplyPubSubDomain(true);
        factory.setErrorHandler(
                failure -> System.out.println("warehouse: " + failure.getCause().getMessage() + ", rolled back"));
        return factory;
    }

    /** Makes listeners that share a durable subscription: each message goes to one of them, now or later. */
    @Bean
    DefaultJmsListenerContainerFactory sharedDurable(
            ConnectionFactory connections, DefaultJmsListenerContainerFactoryConfigurer defaults) {
        DefaultJmsListenerContainerFactory factory = listening(connections, defaults);
        factory.setPubSubDomain(true);
        factory.setSubscriptionShared(true);
        factory.setSubscriptionDurable(true);
        return factory;
    }

    private static DefaultJmsListenerContainerFactory listening(
            ConnectionFactory connections, DefaultJmsListenerContainerFactoryConfigurer defaults) {
        DefaultJmsListenerContainerFactory factory = new DefaultJmsListenerContainerFactory();
        defaults.configure(factory, ConnectionFactoryUnwrapper.unwrapCaching(connections));
        return factory;
    }
}
