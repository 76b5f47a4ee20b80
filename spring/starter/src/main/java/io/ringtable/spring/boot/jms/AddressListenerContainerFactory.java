package io.ringtable.spring.boot.jms;

import jakarta.jms.ConnectionFactory;
import java.util.UUID;
import org.springframework.jms.config.DefaultJmsListenerContainerFactory;
import org.springframework.jms.config.JmsListenerEndpoint;
import org.springframework.jms.listener.DefaultMessageListenerContainer;

/**
 * Makes listeners whose destination says what they are, without a factory for each kind:
 *
 * <pre>{@code
 * @JmsListener(destination = "orders")                                    // consumers of a queue
 * @JmsListener(destination = "topic://parcels")                           // a subscription while the listener runs
 * @JmsListener(destination = "topic://parcels", subscription = "couriers") // shared and durable
 * }</pre>
 *
 * Spring's own factory takes all listeners for what {@code spring.jms.pub-sub-domain} says, and leaves the name of a
 * subscription aside where that is false. Here several threads of one listener share its subscription, named or not,
 * and each message goes to one of them. With Spring's own factory each thread gets all.
 * <p>
 * A factory of an application's own may be of this type as well, set up by Spring Boot's {@code
 * DefaultJmsListenerContainerFactoryConfigurer}. Its own settings for topics then count.
 */
public class AddressListenerContainerFactory extends DefaultJmsListenerContainerFactory {
    private ConnectionFactory ofTemplates;

    /**
     * Sets the connection factory of templates where it is another than that of listeners, as with Spring's cache
     * before it. A template then sends in the transaction of the listener that uses it.
     */
    public void setTemplateConnectionFactory(ConnectionFactory factory) {
        ofTemplates = factory;
    }

    @Override
    protected DefaultMessageListenerContainer createContainerInstance() {
        return ofTemplates == null ? super.createContainerInstance() : new JoinableListenerContainer(ofTemplates);
    }

    @Override
    public DefaultMessageListenerContainer createListenerContainer(JmsListenerEndpoint endpoint) {
        DefaultMessageListenerContainer container = super.createListenerContainer(endpoint);
        String destination = container.getDestinationName();
        if (destination != null && destination.startsWith(AddressDestinationResolver.TOPIC)) {
            subscribe(container);
        }
        return container;
    }

    private static void subscribe(DefaultMessageListenerContainer container) {
        // The answer goes where it would have gone: that a listener hears a topic says nothing of its replies.
        container.setReplyPubSubDomain(container.isReplyPubSubDomain());
        container.setPubSubDomain(true);
        boolean hasKind = container.isSubscriptionDurable() || container.isSubscriptionShared();
        if (hasKind) {
            return;
        }
        if (container.getSubscriptionName() != null) {
            container.setSubscriptionShared(true);
            container.setSubscriptionDurable(true);
        } else if (container.getMaxConcurrentConsumers() > 1) {
            container.setSubscriptionShared(true);
            container.setSubscriptionName("listener-" + UUID.randomUUID());
        }
    }
}
