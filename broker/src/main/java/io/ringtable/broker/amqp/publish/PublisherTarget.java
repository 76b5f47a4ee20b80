package io.ringtable.broker.amqp.publish;

import io.ringtable.wire.MalformedMessage;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Decides where the messages of a publishing link go, and how much credit the link gives for them.
 * <p>
 * Thread: the connection's event loop.
 */
interface PublisherTarget {
    /** Takes a complete transfer, and makes the link admit or reject it. */
    void publish(IncomingDelivery delivery, byte[] body) throws MalformedMessage;

    /** Returns the most transfers that may have credit or no outcome yet. @param most the bound of the settings */
    int window(int most);

    /** Returns how much of {@code wanted} credit the link may give now. */
    int creditFor(int wanted);

    /** Hears that credit of the link is gone without a message. */
    void creditGone();

    /** Hears that other policies may hold for its addresses. */
    void policiesChanged();

    /** Returns why the rules no longer permit the link; null if they do. */
    ErrorCondition refusal();

    /** Lets go of everything, since the link has ended. */
    void end();
}
