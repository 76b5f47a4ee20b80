package io.ringtable.spring.boot.jms;

import io.ringtable.spring.boot.health.BrokerConnections;
import io.ringtable.spring.boot.health.WatchedConnection;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.io.IOException;
import java.net.URI;
import org.apache.qpid.jms.JmsConnection;
import org.apache.qpid.jms.JmsConnectionListener;
import org.apache.qpid.jms.message.JmsInboundMessageDispatch;

/**
 * Follows a connection of Qpid JMS by what it tells its listeners, and by its own state. Events get lost that it tells
 * while its owner closes it.
 * <p>
 * Thread: Qpid's executor of the connection tells; any thread reads.
 */
final class WatchedJmsConnection implements JmsConnectionListener, WatchedConnection {
    static final String KIND = "jms";

    private final JmsConnection connection;
    private final BrokerConnections connections;
    private volatile String trouble;

    private WatchedJmsConnection(JmsConnection connection, BrokerConnections connections) {
        this.connection = connection;
        this.connections = connections;
    }

    static void watch(JmsConnection connection, BrokerConnections connections) {
        WatchedJmsConnection watched = new WatchedJmsConnection(connection, connections);
        connection.addConnectionListener(watched);
        connections.opened(watched);
    }

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public boolean isOver() {
        boolean isOver = connection.isClosed();
        if (isOver && connection.isFailed() && trouble == null) {
            onConnectionFailure(new IOException("no broker could be reached; the log of org.apache.qpid.jms says why"));
        }
        return isOver;
    }

    @Override
    public String trouble() {
        String told = trouble;
        if (told != null) {
            return told;
        }
        // In a fail-over list a connection is made at its first use, and listeners may miss that.
        return connection.isConnected() ? null : "not connected yet";
    }

    @Override
    public void onConnectionInterrupted(URI uri) {
        trouble = "connection to " + uri.getHost() + ":" + uri.getPort() + " is lost, and comes back by itself";
    }

    @Override
    public void onConnectionRestored(URI uri) {
        trouble = null;
    }

    /** Outlives the connection, which its owner closes, and tries a new one later. */
    @Override
    public void onConnectionFailure(Throwable cause) {
        trouble = String.valueOf(cause.getMessage());
        connections.failed(KIND, cause);
    }

    @Override
    public void onConnectionEstablished(URI uri) {}

    @Override
    public void onInboundMessage(JmsInboundMessageDispatch envelope) {}

    @Override
    public void onSessionClosed(Session session, Throwable cause) {}

    @Override
    public void onConsumerClosed(MessageConsumer consumer, Throwable cause) {}

    @Override
    public void onProducerClosed(MessageProducer producer, Throwable cause) {}
}
