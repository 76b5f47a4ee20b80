package io.ringtable.broker.amqp;

import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.status.LinkStatus;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.engine.Session;

/**
 * Holds the attached links of one connection in the order of their attaching, each with its number.
 * <p>
 * Thread: the connection's event loop.
 */
final class ConnectionLinks {
    private record Attached(long number, Instant since) {}

    /** Hears of a link. */
    interface Visitor {
        void visit(long number, AmqpLink link);
    }

    private final Map<AmqpLink, Attached> links = new LinkedHashMap<>();
    private long lastNumber;

    void attached(AmqpLink link) {
        lastNumber++;
        links.put(link, new Attached(lastNumber, Instant.now()));
    }

    /** Removes a link. @return false if it was not attached */
    boolean remove(AmqpLink link) {
        return links.remove(link) != null;
    }

    /** Puts a link in the place of another one, under its number. */
    void replace(AmqpLink before, AmqpLink now) {
        links.put(now, links.remove(before));
    }

    int size() {
        return links.size();
    }

    /** Returns the links, to go through while some of them end. */
    List<AmqpLink> all() {
        return List.copyOf(links.keySet());
    }

    /** Returns the links of a session, to go through while some of them end. */
    List<AmqpLink> of(Session session) {
        return links.keySet().stream()
                .filter(link -> link.link().getSession() == session)
                .toList();
    }

    /** Tells whether a link has that name and direction. */
    static boolean is(AmqpLink link, String name, boolean consumer) {
        return link.link().isSender() == consumer && link.link().getName().equals(name);
    }

    /** Goes through the links with their numbers, the lowest first. */
    void forEach(Visitor visitor) {
        links.forEach((link, attached) -> visitor.visit(attached.number(), link));
    }

    /** Returns the link of that number; null if none has it. */
    AmqpLink find(long number) {
        for (Map.Entry<AmqpLink, Attached> each : links.entrySet()) {
            if (each.getValue().number() == number) {
                return each.getKey();
            }
        }
        return null;
    }

    /**
     * Describes a link.
     *
     * @param connection id of the connection
     * @param name as the client gave it
     */
    LinkStatus status(AmqpLink link, String connection, String name) {
        Attached attached = links.get(link);
        return link.status(
                new LinkStatus.Key(connection + "." + attached.number(), connection, name, attached.since()));
    }
}
