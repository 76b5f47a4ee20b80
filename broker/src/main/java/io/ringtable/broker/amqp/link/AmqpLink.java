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

    /**
     * Tells whether another node may serve the link, once it is {@link Handing#DONE}, with nothing lost.
     *
     * @param shard what that node takes over
     */
    default boolean mayHandOver(int shard) {
        return false;
    }

    /** Takes nothing more for a shard, and gives nothing more: another node takes it over. */
    default void suspend(int shard) {}

    /** Says how far a link is that is suspended. */
    default Handing handing(int shard) {
        return Handing.WAITS;
    }

    /** Lets go of a shard, as all is answered. @param condition names the node that takes it over */
    default void handOver(int shard, ErrorCondition condition) {
        detach(condition);
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

    // ---- where another object takes the link's place at its client

    /** Takes transfers out of the link that were not handed in or passed on, in their order. */
    default List<OpenTransfer> unread() {
        return List.of();
    }

    /** Hears that the other object has those transfers: it counts for them from now on. */
    default void unreadTaken() {}

    /** Hears that the client has given or taken back credit, or wants it drained, before the other object counts it. */
    default void creditChanged() {}

    /**
     * Takes a transfer that has come after that, if it belongs to a transaction that has something here.
     *
     * @return whether the link has taken it
     */
    default boolean takesStill(IncomingDelivery delivery) {
        return false;
    }

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
