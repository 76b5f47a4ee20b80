package io.ringtable.broker.amqp.carried;

import io.ringtable.broker.access.Identity;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.dispatch.CreationElsewhere;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.message.Printable;
import io.ringtable.wire.RingtableSymbols;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Says whose a link is that another node carries: property {@code ringtable:client} of its attach. On the relay the
 * link has the name {@code CONNECTION/LINK}, so that links of several clients may have one name.
 *
 * @param connection id of the client's connection at its node
 * @param container the client's container id; empty if it has none
 * @param identity who the client is, as its node knows it now
 * @param host from which the client connects
 * @param link the client's own name of the link; null if the attach carries no link, and says only who the client is
 * @param mayCreate whether the owner may create the address that the link names
 */
public record CarriedClient(
        String connection, String container, Identity identity, String host, String link, boolean mayCreate) {
    private static final Symbol CONNECTION = Symbol.valueOf("connection");
    private static final Symbol CONTAINER = Symbol.valueOf("container");
    private static final Symbol USER = Symbol.valueOf("user");
    private static final Symbol GROUPS = Symbol.valueOf("groups");
    private static final Symbol HOST = Symbol.valueOf("host");
    private static final Symbol LINK = Symbol.valueOf("link");
    private static final Symbol CREATE = Symbol.valueOf("create");

    private static final String ELSEWHERE = "RT-4552";
    /** Begins what {@code AwayShard} says of a subscription that another node has. */
    private static final String NAME_ELSEWHERE = CreationElsewhere.CODE + " subscription '";

    private static final String AWAY = "RT-4535";
    /** The code of the loss of a relay that was open. */
    public static final String RELAY_LOST = "RT-4566";

    /** The code of a relay that nobody answers: its node may be dead. */
    public static final String UNREACHED = "RT-4662";

    /** The code of a refusal since an address has changed its node while its link was attached. */
    private static final String MOVED = "RT-4646";

    /** The code of the end of a link that the other node is to attach anew, as it goes on where it was. */
    private static final String ANEW = "RT-4664";

    /** Holds the codes of refusals that pass once a node serves the shard. */
    private static final Set<String> NOT_SERVED_YET = Set.of(
            Home.AWAY, Home.ELSEWHERE, CreationElsewhere.WHILE_AWAY, AWAY, ELSEWHERE, RELAY_LOST, UNREACHED, MOVED);

    private static final int CODE_LENGTH = AWAY.length();
    private static final char DELIMITER = '/';

    /** Tells whether an attach says that it carries a client's link. */
    public static boolean isNamed(Link<?> link) {
        Map<Symbol, Object> properties = link.getRemoteProperties();
        return properties != null && properties.containsKey(RingtableSymbols.CLIENT);
    }

    /**
     * Reads whose link an attach carries.
     *
     * @throws IllegalArgumentException if the property is absent, or says it in no way that there is
     */
    public static CarriedClient of(Link<?> link) {
        Map<Symbol, Object> properties = link.getRemoteProperties();
        if (properties == null || !(properties.get(RingtableSymbols.CLIENT) instanceof Map<?, ?> said)) {
            throw new IllegalArgumentException("the attach does not say whose link it is");
        }
        String connection = text(said, CONNECTION, null);
        if (connection == null || connection.isEmpty() || connection.indexOf(DELIMITER) >= 0) {
            throw new IllegalArgumentException("'" + CONNECTION + "' is no id of a connection");
        }
        String name = text(said, LINK, null);
        if (name != null && !link.getName().equals(prefix(connection) + name)) {
            throw new IllegalArgumentException("link '" + Printable.value(link.getName()) + "' is not named '"
                    + Printable.value(prefix(connection) + name) + "'");
        }
        return new CarriedClient(
                connection,
                text(said, CONTAINER, ""),
                new Identity(text(said, USER, ""), groups(said.get(GROUPS))),
                text(said, HOST, "?"),
                name,
                Boolean.TRUE.equals(said.get(CREATE)));
    }

    /** Returns the property by which an attach says the same: what {@link #of} reads. */
    public Map<Symbol, Object> said() {
        Map<Symbol, Object> said = new HashMap<>();
        said.put(CONNECTION, connection);
        said.put(CONTAINER, container);
        said.put(USER, identity.name());
        said.put(GROUPS, identity.groups().stream().sorted().toList());
        said.put(HOST, host);
        said.put(CREATE, mayCreate);
        if (link != null) {
            said.put(LINK, link);
        }
        return said;
    }

    private static String text(Map<?, ?> said, Symbol key, String otherwise) {
        Object value = said.get(key);
        if (value == null) {
            return otherwise;
        }
        if (value instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException("'" + key + "' is not a string");
    }

    private static Set<String> groups(Object value) {
        if (value == null) {
            return Set.of();
        }
        if (!(value instanceof List<?> list)) {
            throw new IllegalArgumentException("'" + GROUPS + "' is not a list");
        }
        Set<String> groups = new HashSet<>();
        for (Object group : list) {
            if (!(group instanceof String name)) {
                throw new IllegalArgumentException("'" + GROUPS + "' has something that is not a string");
            }
            groups.add(name);
        }
        return groups;
    }

    /** Returns why a link to an address cannot go on, or begin, though the next one can. */
    public static ErrorCondition moved(String address) {
        return Conditions.of(
                ConnectionError.CONNECTION_FORCED,
                MOVED + " '" + Printable.value(address)
                        + "' has moved from node to node while the link was attached: attach again");
    }

    /** Returns what the names of all links of one client begin with on the relay. */
    public static String prefix(String connection) {
        return connection + DELIMITER;
    }

    /** Returns the connection whose link has that name on the relay. */
    public static String connectionOf(String nameOnRelay) {
        int end = nameOnRelay.indexOf(DELIMITER);
        return end < 0 ? nameOnRelay : nameOnRelay.substring(0, end);
    }

    /** Tells whether the owner has refused a link since the address lives elsewhere: the front looks again. */
    public static boolean isElsewhere(ErrorCondition refusal) {
        return refusal.getDescription() != null && refusal.getDescription().startsWith(ELSEWHERE);
    }

    /** Tells whether the node that was asked may have attached the link: it was lost, or its shard ended. */
    public static boolean isOfUnknownOutcome(ErrorCondition refusal) {
        String text = refusal.getDescription();
        return text == null || text.startsWith(RELAY_LOST) || text.startsWith(AWAY);
    }

    /** Tells whether a link is refused since no node serves its shard at this moment: it may ask again. */
    public static boolean isNotServedYet(ErrorCondition refusal) {
        String text = refusal.getDescription();
        return text != null && text.length() > CODE_LENGTH && NOT_SERVED_YET.contains(text.substring(0, CODE_LENGTH));
    }

    /** Tells whether a link is refused since another node has a durable subscription of its name. */
    public static boolean isNameElsewhere(ErrorCondition refusal) {
        return refusal.getDescription() != null && refusal.getDescription().startsWith(NAME_ELSEWHERE);
    }

    /** Says to the clients of a shard that it has stopped at this node. */
    public static String away(int shard, String why) {
        return AWAY + " shard " + shard + ", which this connection uses, is away: connect again; " + why;
    }

    /** Tells whether the owner ends a client's links since a shard that they use has stopped there. */
    public static boolean isAway(ErrorCondition end) {
        return end != null
                && end.getDescription() != null
                && end.getDescription().startsWith(AWAY);
    }

    /** Has the other node attach a link anew whose transfers have numbers. @param why the link ends here */
    public static ErrorCondition anew(ErrorCondition why) {
        return Conditions.of(
                why.getCondition(),
                ANEW + " the node that carries the client attaches this link anew: " + why.getDescription());
    }

    /** Tells whether the owner has ended a link for that. */
    public static boolean isAnew(ErrorCondition end) {
        return end != null
                && end.getDescription() != null
                && end.getDescription().startsWith(ANEW);
    }

    /** Returns why the owner refuses a link to an address that is none of its shards. @param name of the address */
    public static ErrorCondition elsewhere(String name) {
        return Conditions.of(
                AmqpError.NOT_FOUND,
                ELSEWHERE + " '" + Printable.value(name)
                        + "' is no address of the shards of this node: look again where it lives");
    }

    /** Returns why an attach is refused that says wrongly, or in the wrong place, whose link it carries. */
    public static ErrorCondition refusal(String why) {
        return Conditions.of(
                AmqpError.NOT_ALLOWED,
                "RT-4551 " + why + ": property " + RingtableSymbols.CLIENT
                        + " of an attach is for links that one node of a cluster carries to another, and each of those"
                        + " has it");
    }
}
