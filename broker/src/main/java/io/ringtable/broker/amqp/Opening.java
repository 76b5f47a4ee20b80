package io.ringtable.broker.amqp;

import io.ringtable.broker.amqp.attach.Containers;
import io.ringtable.broker.amqp.encoding.BatchFormat;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.amqp.settings.AmqpSettings;
import io.ringtable.broker.message.Printable;
import java.util.Map;
import org.apache.qpid.protonj2.engine.Connection;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Answers a client's open frame: says what the broker offers, or why it refuses the connection (AMQP 1.0 section 2.4).
 * <p>
 * Thread: the connection's event loop.
 */
final class Opening {
    private static final Symbol SOLE_CONNECTION = Symbol.valueOf("sole-connection-for-container");
    private static final Symbol[] OFFERED = {
        Symbol.valueOf("ANONYMOUS-RELAY"),
        Symbol.valueOf("DELAYED_DELIVERY"),
        Symbol.valueOf("SHARED-SUBS"),
        SOLE_CONNECTION,
        BatchFormat.CAPABILITY
    };
    /** One that does not desire to be the only one of its id may join one that does: "weak", as such clients share an id. */
    private static final UnsignedInteger WEAK_DETECTION = UnsignedInteger.ONE;

    private static final Map<Symbol, Object> PROPERTIES = Map.of(
            Symbol.valueOf("product"), "Ringtable", Symbol.valueOf("sole-connection-detection-policy"), WEAK_DETECTION);
    private static final Symbol ESTABLISHMENT_FAILED = Symbol.valueOf("amqp:connection-establishment-failed");

    private final AmqpConnection connection;
    private final AmqpServer server;
    private final AmqpSettings settings;
    private final Connection endpoint;
    private boolean entered; // counted under its container id

    Opening(AmqpConnection connection, AmqpServer server, Connection endpoint) {
        this.connection = connection;
        this.server = server;
        this.settings = server.settings();
        this.endpoint = endpoint;
    }

    /** Sends the broker's open frame. @return why the connection is to be closed; null if it is served */
    ErrorCondition open() {
        endpoint.setContainerId(settings.containerId());
        endpoint.setChannelMax(settings.sessionsMax() - 1);
        if (settings.idleTimeoutMs() > 0) {
            endpoint.setIdleTimeout(settings.idleTimeoutMs());
        }
        endpoint.setOfferedCapabilities(OFFERED);
        ErrorCondition refusal = refusal();
        endpoint.setProperties(refusal == null ? PROPERTIES : Map.of(ESTABLISHMENT_FAILED, true));
        endpoint.open();
        return refusal;
    }

    private ErrorCondition refusal() {
        if (server.isOverConnections()) {
            return Conditions.limit(
                    "RT-4035",
                    "too many connections: amqp.connections-max=" + settings.connectionsMax()
                            + ": close some or raise it");
        }
        String container = connection.containerId();
        String owner =
                connection.user().isEmpty() ? null : server.shard().lookup().ownerOf(container);
        if (owner != null && !owner.equals(connection.user())) {
            return containerRefusal("RT-4332", "belongs to another user, who used it first: choose another client id");
        }
        boolean sole = NodeName.has(endpoint.getRemoteDesiredCapabilities(), SOLE_CONNECTION);
        Containers.Entry entry = server.containers().enter(container, connection.user(), sole);
        entered = entry == Containers.Entry.ENTERED;
        return switch (entry) {
            case ENTERED -> null;
            case IN_USE ->
                containerRefusal(
                        "RT-4036", "is in use by another connection: close that one or choose another client id");
            case OF_ANOTHER_USER -> containerRefusal("RT-4335", "is in use by another user: choose another client id");
        };
    }

    private ErrorCondition containerRefusal(String code, String why) {
        return Conditions.of(
                AmqpError.INVALID_FIELD,
                code + " container id '" + Printable.value(connection.containerId()) + "' " + why,
                Map.of(Symbol.valueOf("invalid-field"), Symbol.valueOf("container-id")));
    }

    /** The connection is gone. */
    void lost() {
        if (entered) {
            server.containers().leave(connection.containerId());
        }
    }
}
