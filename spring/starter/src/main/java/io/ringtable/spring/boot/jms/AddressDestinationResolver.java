package io.ringtable.spring.boot.jms;

import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import org.springframework.jms.support.destination.DynamicDestinationResolver;

/**
 * Reads {@code queue://name} and {@code topic://name} as the broker's documents and the SDK write them. A plain name is
 * what {@code spring.jms.pub-sub-domain} says, a queue by default.
 * <p>
 * Thread: any.
 */
public final class AddressDestinationResolver extends DynamicDestinationResolver {
    static final String QUEUE = "queue://";
    static final String TOPIC = "topic://";

    @Override
    public Destination resolveDestinationName(Session session, String name, boolean isPubSubDomain)
            throws JMSException {
        if (name.startsWith(QUEUE)) {
            return super.resolveDestinationName(session, name.substring(QUEUE.length()), false);
        }
        if (name.startsWith(TOPIC)) {
            return super.resolveDestinationName(session, name.substring(TOPIC.length()), true);
        }
        return super.resolveDestinationName(session, name, isPubSubDomain);
    }
}
