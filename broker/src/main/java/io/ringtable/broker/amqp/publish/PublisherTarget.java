package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.status.LinkStatus.WaitsFor;
import io.ringtable.wire.MalformedMessage;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Decides where the messages of a publishing link go, and how much credit the link gives for them.
 * <p>
 * Thread: the connection's event loop.
 */
public interface PublisherTarget {
    /** Returns the name of the address of all messages; null if each names its own. */
    String address();

    /** Returns what keeps the link from getting credit, as far as the target knows; null if nothing does. */
    WaitsFor waitsFor();

    /** Takes a complete transfer, and makes the link admit or reject it. */
    void publish(IncomingDelivery delivery, byte[] body) throws MalformedMessage;

    /** Returns the most transfers that may have credit or no outcome yet. @param most the bound of the settings */
    int window(int most);

    /** Returns how much of {@code wanted} credit the link may give now. */
    int creditFor(int wanted);

    /** Tells whether the target holds anything of a shard. @param shard its number */
    default boolean uses(int shard) {
        return false;
    }

    /** Hears that credit of the link is gone without a message. */
    void creditGone();

    /** Tells whether the link gets no credit, since the committer of its messages has no room for them. */
    boolean isStalled();

    /** Hears that other policies may hold for its addresses. */
    default void policiesChanged() {}

    /** Tells whether the link gets credit while heap or disk is short, and other publishers are held back. */
    default boolean isAlwaysServed() {
        return false;
    }

    /** Returns why the rules no longer permit the link; null if they do. */
    ErrorCondition refusal();

    /** Lets go of everything, since the link has ended. */
    void end();

    /** Tells whether the link may be attached at another node, as in {@link AmqpLink#mayHandOver}. */
    default boolean mayHandOver() {
        return false;
    }
}
