package io.ringtable.broker.amqp;

import io.ringtable.broker.amqp.consume.ConsumerLinks;
import io.ringtable.broker.amqp.link.ConnectionMemory;
import io.ringtable.broker.amqp.login.SaslLogin;
import io.ringtable.broker.amqp.publish.FlowControl;
import io.ringtable.broker.amqp.transaction.Transactions;
import io.ringtable.broker.status.ConnectionStatus;

/**
 * Shows operators what one connection has open.
 * <p>
 * Thread: the connection's event loop.
 *
 * @param login null without a SASL layer
 */
record OperatorView(
        AmqpConnection connection,
        SocketFacts socket,
        SaslLogin login,
        ConnectionLinks links,
        Transactions transactions,
        ConsumerLinks consumers,
        FlowControl flow,
        ConnectionMemory memory) {

    /** Describes the connection. */
    ConnectionStatus status() {
        return new ConnectionStatus(
                socket.id(),
                connection.isRunning(),
                connection.user(),
                connection.identity().groups().stream().sorted().toList(),
                connection.containerId(),
                socket.remote(),
                socket.tls(),
                login == null ? null : login.mechanism(),
                socket.since(),
                flow.sessions(),
                links.size(),
                memory.held(),
                transactions.count(),
                consumers.unsettled(),
                connection.canWrite());
    }
}
