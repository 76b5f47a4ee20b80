package io.ringtable.examples.bookshop;

import jakarta.jms.ConnectionFactory;
import org.springframework.boot.jms.ConnectionFactoryUnwrapper;
import org.springframework.boot.jms.autoconfigure.DefaultJmsListenerContainerFactoryConfigurer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jms.config.DefaultJmsListenerContainerFactory;

/** How the listeners listen, each in a transacted session of its own ({@code spring.jms.listener.session.transacted}). */
@Configuration(proxyBeanMethods = false)
class Listening {
    /** What such a listener returns goes to a topic, in the same transaction as what it was given. */
    @Bean
    DefaultJmsListenerContainerFactory replyingToTopics(
            ConnectionFactory connections, DefaultJmsListenerContainerFactoryConfigurer defaults) {
        DefaultJmsListenerContainerFactory factory = listening(connections, defaults);
        factory.setReplyPubSubDomain(true);
        factory.setErrorHandler(
                failure -> System.out.println("warehouse: " + failure.getCause().getMessage() + ", rolled back"));
        return factory;
    }

    /** Such listeners share a durable subscription: each message is for one of them, also if it comes while none is there. */
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
