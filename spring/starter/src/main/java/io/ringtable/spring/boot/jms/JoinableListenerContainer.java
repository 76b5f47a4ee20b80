package io.ringtable.spring.boot.jms;

import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Session;
import org.springframework.jms.connection.JmsResourceHolder;
import org.springframework.jms.listener.DefaultMessageListenerContainer;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Lets a {@code JmsTemplate} that a listener uses send in the listener's own transaction. Spring does so for templates
 * on the connection factory of the container. Ours stands behind the cache that templates use, as a container that
 * shared the cache's connection could not be stopped alone.
 * <p>
 * Thread: those that run the listener.
 */
final class JoinableListenerContainer extends DefaultMessageListenerContainer {
    private final ConnectionFactory ofTemplates;

    JoinableListenerContainer(ConnectionFactory ofTemplates) {
        this.ofTemplates = ofTemplates;
    }

    @Override
    protected void invokeListener(Session session, Message message) throws JMSException {
        if (!session.getTransacted() || TransactionSynchronizationManager.hasResource(ofTemplates)) {
            super.invokeListener(session, message);
            return;
        }
        TransactionSynchronizationManager.bindResource(ofTemplates, new JmsResourceHolder(session));
        try {
            super.invokeListener(session, message);
        } finally {
            TransactionSynchronizationManager.unbindResource(ofTemplates);
        }
    }
}
