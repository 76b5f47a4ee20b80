package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.carried.HandedOver;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.status.LinkStatus.WaitsFor;
import io.ringtable.wire.MalformedMessage;
import java.util.function.Consumer;
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

    /** Tells whether another node carries the link, and sends again what has no outcome once it is attached anew. */
    default boolean isSentAgain() {
        return false;
    }

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

    // ---- where another node takes a shard over

    /** Tells whether another node may take what the target has of a shard, as {@link AmqpLink#mayHandOver} does. */
    default boolean mayHandOver(int shard) {
        return false;
    }

    /** Tells whether the link stays while another node takes one of several homes of its messages over. */
    default boolean hasManyHomes() {
        return false;
    }

    /** Gives back the transfers that are not handed in: another node takes them. */
    default void withdraw(Consumer<Publication> taker) {
        throw new IllegalStateException("the link stays with its node");
    }

    /** Has messages of a link with many homes go to the next owner of a shard, from now on. */
    default void passOn(HandedOver to) {}

    /** Says how far the messages to a shard are of a link with many homes. */
    default AmqpLink.Handing handing(int shard) {
        return AmqpLink.Handing.DONE;
    }

    /** Forgets addresses in a shard that another node takes over. */
    default void forget(int shard) {}
}
