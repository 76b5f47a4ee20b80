package io.ringtable.spring.boot.jms;

import io.ringtable.spring.boot.health.BrokerConnections;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.QueueConnection;
import jakarta.jms.TopicConnection;
import org.apache.qpid.jms.JmsConnection;
import org.apache.qpid.jms.JmsConnectionFactory;

/**
 * Makes connections as Qpid JMS does, and lets health watch each. Contexts and calls without a user come by here too.
 */
@SuppressWarnings("serial") // nobody writes a bean of a running application
final class WatchedConnectionFactory extends JmsConnectionFactory {
    private final BrokerConnections connections;

    WatchedConnectionFactory(String uri, BrokerConnections connections) {
        super(uri);
        this.connections = connections;
    }

    @Override
    public Connection createConnection(String user, String password) throws JMSException {
        return watched(super::createConnection, user, password);
    }

    @Override
    public QueueConnection createQueueConnection(String user, String password) throws JMSException {
        return watched(super::createQueueConnection, user, password);
    }

    @Override
    public TopicConnection createTopicConnection(String user, String password) throws JMSException {
        return watched(super::createTopicConnection, user, password);
    }

    private <C extends Connection> C watched(Creation<C> creation, String user, String password) throws JMSException {
        try {
            C connection = creation.create(user, password);
            WatchedJmsConnection.watch((JmsConnection) connection, connections);
            return connection;
        } catch (JMSException failure) {
            connections.failed(WatchedJmsConnection.KIND, failure);
            throw failure;
        }
    }

    private interface Creation<C> {
        C create(String user, String password) throws JMSException;
    }
}
