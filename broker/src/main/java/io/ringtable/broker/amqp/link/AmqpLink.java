package io.ringtable.broker.amqp.link;

import io.ringtable.broker.status.LinkStatus;
import java.util.List;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/** Does what a connection asks of each of its links. Thread: the connection's event loop. */
public interface AmqpLink {

    Link<?> link();

    /**
     * Releases everything the link holds. May be called more than once; only the first call counts.
     *
     * @param lost whether the client may have seen deliveries without telling their outcome
     */
    void end(boolean lost);

    /** Returns why the rules that count now no longer permit the link; null if they do, and if it needs no right. */
    default ErrorCondition refusal() {
        return null;
    }

    /** Describes the link to operators. @param key what the connection knows of the link */
    LinkStatus status(LinkStatus.Key key);

    /** Ends the link and detaches with an error. */
    void detach(ErrorCondition condition);

    /** Tells whether the link holds anything of a shard. @param shard its number */
    default boolean uses(int shard) {
        return false;
    }

    /** Tells whether the link may be attached at another node, once it is {@link Handing#DONE}, with nothing lost. */
    default boolean mayHandOver() {
        return false;
    }

    /** Takes nothing more, and gives nothing more: another node takes the shard over. */
    default void suspend() {}

    /** Says how far a link is that is suspended. */
    default Handing handing() {
        return Handing.WAITS;
    }

    /** Lists how far a link is that is suspended. */
    enum Handing {
        /** Means that this node owes outcomes. */
        OWES,
        /** Means that the client has to settle something, or the other node has to say that nothing is on its way. */
        WAITS,
        /** Means that all is answered. */
        DONE
    }

    /**
     * Takes transfers out of the link that were not passed on, since another link takes its place at the client.
     *
     * @return in their order; the last one may not have ended
     */
    default List<IncomingDelivery> unread() {
        return List.of();
    }

    /** Hears that the other link has those transfers: it counts for them from now on. */
    default void unreadTaken() {}

    /** Hears that other rules or other policies count. */
    default void rulesChanged() {
        checkRights();
    }

    /** Detaches with the reason if the rules that count now no longer permit the link. */
    default void checkRights() {
        ErrorCondition refusal = refusal();
        if (refusal != null) {
            detach(refusal);
        }
    }
}
