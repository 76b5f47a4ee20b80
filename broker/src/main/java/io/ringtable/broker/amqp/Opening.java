package io.ringtable.broker.amqp;

import io.ringtable.broker.amqp.attach.Containers;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.amqp.link.UserLimit;
import io.ringtable.broker.catalog.ClientOwners;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.message.Printable;
import io.ringtable.wire.BatchFormat;
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
    /** "Weak": a client that does not desire to be the only one of its id may join a client that does. */
    private static final UnsignedInteger WEAK_DETECTION = UnsignedInteger.ONE;

    private static final Map<Symbol, Object> PROPERTIES = Map.of(
            Symbol.valueOf("product"), "Ringtable", Symbol.valueOf("sole-connection-detection-policy"), WEAK_DETECTION);
    private static final Symbol ESTABLISHMENT_FAILED = Symbol.valueOf("amqp:connection-establishment-failed");

    /**
     * Sessions that one connection may have. A session costs some kilobytes; clients with one for each of their threads
     * have some hundred.
     */
    private static final int SESSIONS_MAX = 1_024;

    private final AmqpConnection connection;
    private final AmqpServer server;
    private final AmqpProperties settings;
    private final Admission admission;
    private final Connection endpoint;
    private boolean counted; // among the open connections
    private UserLimit limit; // against which it counts; null before
    private boolean entered; // counted under its container id

    Opening(AmqpConnection connection, AmqpServer server, Connection endpoint) {
        this.connection = connection;
        this.server = server;
        this.settings = server.settings();
        this.admission = server.admission();
        this.endpoint = endpoint;
    }

    /** Sends the broker's open frame. @return why the broker refuses the connection; null if it serves it */
    ErrorCondition open() {
        endpoint.setContainerId(settings.containerId());
        endpoint.setChannelMax(SESSIONS_MAX - 1);
        if (!settings.idleTimeout().isZero()) {
            endpoint.setIdleTimeout(settings.idleTimeout().toMillis());
        }
        endpoint.setOfferedCapabilities(OFFERED);
        ErrorCondition refusal = refusal();
        endpoint.setProperties(refusal == null ? PROPERTIES : Map.of(ESTABLISHMENT_FAILED, true));
        endpoint.open();
        if (refusal != null) {
            lost();
        }
        return refusal;
    }

    private ErrorCondition refusal() {
        counted = admission.enter();
        if (!counted) {
            return Conditions.limit(
                    "RT-4035",
                    "too many connections: ringtable.amqp.connections-max=" + settings.connectionsMax()
                            + ": close some or raise it");
        }
        limit = admission.enter(connection.user());
        if (limit == null) {
            return Conditions.limit(
                    "RT-4370",
                    "user '" + Printable.value(connection.user()) + "' has as many connections as it may, "
                            + admission.connectionsMax(connection.user())
                            + ": close some, or raise ringtable.security.user-connections-max. A user may have a"
                            + " connections-max of its own (connectionsMax of a user that was made at run time)");
        }
        String container = connection.containerId();
        if (!connection.user().isEmpty() && container.startsWith(ClientOwners.GLOBAL_PREFIX)) {
            return containerRefusal(
                    "RT-4353",
                    "begins as the names of global subscriptions do, by which the broker knows whose they are: choose"
                            + " another client id");
        }
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

    /** Returns the bounds of the user, against which the connection counts once it is open. */
    UserLimit limit() {
        return limit;
    }

    /** Has the user follow the bounds of now. */
    void boundsChanged() {
        if (limit != null) {
            admission.boundsChanged(limit);
        }
    }

    /** Gives up what a connection counts for that is gone, or refused. */
    void lost() {
        if (counted) {
            counted = false;
            admission.leave();
        }
        if (limit != null) {
            admission.leave(limit);
            limit = null;
        }
        if (entered) {
            entered = false;
            server.containers().leave(connection.containerId());
        }
    }
}
