package io.ringtable.broker.amqp.carried;

import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.message.Printable;
import io.ringtable.wire.RingtableSymbols;
import java.util.Map;
import org.apache.qpid.protonj2.engine.Connection;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Judges an open frame by which another node asks to carry its clients on the connection, and answers it.
 * <p>
 * Thread: the connection's event loop.
 */
public final class RelayOpening {
    /** The sessions that a relay may have: as many as AMQP has channels. Each is one session of a client. */
    public static final int SESSIONS_MAX = 65_536;

    private static final UnsignedInteger VERSION = UnsignedInteger.ONE; // of the terms

    private RelayOpening() {}

    /** Tells whether the peer asks to open a relay. */
    public static boolean isAsked(Connection connection) {
        return NodeName.has(connection.getRemoteDesiredCapabilities(), RingtableSymbols.RELAY);
    }

    /**
     * Returns why the peer may not open a relay; null if it may.
     *
     * @param user as which the peer has logged in; empty without a login
     * @param nodeUser as which nodes log in; null if none does
     * @param openToAll whether everybody may do everything without a login
     */
    public static ErrorCondition refusal(Connection connection, String user, String nodeUser, boolean openToAll) {
        if (openToAll) {
            return versionRefusal(connection);
        }
        if (nodeUser == null) {
            return refused(
                    AmqpError.UNAUTHORIZED_ACCESS,
                    "this node carries no clients of others: set ringtable.cluster.user to the user of nodes");
        }
        if (!user.equals(nodeUser)) {
            return refused(
                    AmqpError.UNAUTHORIZED_ACCESS,
                    "user '" + Printable.value(user)
                            + "' may not carry clients of another node: log in as the ringtable.cluster.user of this"
                            + " node");
        }
        return versionRefusal(connection);
    }

    private static ErrorCondition versionRefusal(Connection connection) {
        Map<Symbol, Object> properties = connection.getRemoteProperties();
        Object version = properties == null ? null : properties.get(RingtableSymbols.RELAY);
        if (!VERSION.equals(version)) {
            return refused(
                    AmqpError.NOT_IMPLEMENTED,
                    "the other node speaks version " + Printable.value(version) + " of the relay and this one version "
                            + VERSION + ": run the same version of the broker on both");
        }
        return null;
    }

    private static ErrorCondition refused(Symbol condition, String why) {
        return Conditions.of(condition, "RT-4550 " + why);
    }

    /** Asks, before the connection is opened, to carry clients on it. @param node id of this node */
    public static void ask(Connection connection, String node) {
        connection.setDesiredCapabilities(RingtableSymbols.RELAY);
        connection.setProperties(answer(node));
    }

    /**
     * Tells whether the other node has agreed to carry clients, and is the one that was meant.
     *
     * @param node its id
     * @return what is wrong; null if nothing is
     */
    public static String fault(Connection connection, String node) {
        if (!NodeName.has(connection.getRemoteOfferedCapabilities(), RingtableSymbols.RELAY)) {
            return "it carries no clients: it is no node of a cluster, or has another version";
        }
        Map<Symbol, Object> said = connection.getRemoteProperties();
        Object answering = said == null ? null : said.get(RingtableSymbols.NODE);
        return node.equals(answering)
                ? null
                : "another node, " + Printable.value(answering)
                        + ", answers there: give each node a ringtable.amqp.advertised-url of its own";
    }

    /** Returns the properties by which the answer says that this is a relay. @param node id of this node */
    public static Map<Symbol, Object> answer(String node) {
        return Map.of(RingtableSymbols.RELAY, VERSION, RingtableSymbols.NODE, node);
    }
}
