package io.ringtable.broker.amqp;

import io.ringtable.broker.amqp.carried.RelayOpening;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.wire.BatchFormat;
import io.ringtable.wire.RingtableSymbols;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.engine.Connection;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Answers the open frame of a client, or of a node that wants to carry its clients. Says what the broker offers, or why
 * it refuses the connection (AMQP 1.0 section 2.4).
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
    private final ClientEntry entry;
    private final Connection endpoint;
    private boolean relay; // the peer is a node that wants to carry its clients

    Opening(AmqpConnection connection, AmqpServer server, ClientEntry entry, Connection endpoint) {
        this.connection = connection;
        this.server = server;
        this.settings = server.settings();
        this.entry = entry;
        this.endpoint = endpoint;
    }

    /** Sends the broker's open frame. @return why the broker refuses the connection; null if it serves it */
    ErrorCondition open() {
        relay = RelayOpening.isAsked(endpoint);
        endpoint.setContainerId(settings.containerId());
        endpoint.setChannelMax((relay ? RelayOpening.SESSIONS_MAX : SESSIONS_MAX) - 1);
        if (idleTimeoutMs() > 0) {
            endpoint.setIdleTimeout(idleTimeoutMs());
        }
        ErrorCondition refusal = refusal();
        endpoint.setOfferedCapabilities(relay && refusal == null ? withRelay() : OFFERED);
        endpoint.setProperties(refusal == null ? properties() : Map.of(ESTABLISHMENT_FAILED, true));
        endpoint.open();
        return refusal;
    }

    /** Returns why the peer is refused. A relay's clients count one by one, so the relay itself counts nowhere. */
    private ErrorCondition refusal() {
        return relay
                ? RelayOpening.refusal(
                        endpoint,
                        connection.user(),
                        server.logins().rules().nodeUser(),
                        server.logins().isOpenToAll())
                : entry.enter(NodeName.has(endpoint.getRemoteDesiredCapabilities(), SOLE_CONNECTION));
    }

    /** Tells whether the connection carries clients of another node, and none of its own. */
    boolean isRelay() {
        return relay;
    }

    /** Returns the time-out of this end. A node knows how soon the other must notice its silence. */
    private long idleTimeoutMs() {
        long ofNode = relay ? endpoint.getRemoteIdleTimeout() : 0;
        return ofNode > 0 ? ofNode : settings.idleTimeout().toMillis();
    }

    private static Symbol[] withRelay() {
        Symbol[] offered = Arrays.copyOf(OFFERED, OFFERED.length + 1);
        offered[OFFERED.length] = RingtableSymbols.RELAY;
        return offered;
    }

    private Map<Symbol, Object> properties() {
        List<Map<Symbol, Object>> servers = relay ? List.of() : FailoverServers.of(server.nodeUrls(), endpoint);
        if (!relay && servers.isEmpty()) {
            return PROPERTIES;
        }
        Map<Symbol, Object> properties = new HashMap<>(PROPERTIES);
        if (relay) {
            properties.putAll(RelayOpening.answer(server.nodeId()));
        } else {
            properties.put(FailoverServers.PROPERTY, servers);
        }
        return properties;
    }
}
