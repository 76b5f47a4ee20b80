package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.encoding.MalformedMessage;
import org.apache.qpid.protonj2.engine.IncomingDelivery;

/** Where the messages of a publishing link go, and how much credit the link gets for them. Thread: the connection's event loop. */
interface PublisherTarget {
    /** Takes a complete transfer: has the link admit or reject it. */
    void publish(IncomingDelivery delivery, byte[] body) throws MalformedMessage;

    /** Transfers that may be on their way at once, given as credit or without an outcome. @param most by the settings */
    int window(int most);

    /** How much of {@code wanted} credit may be given now. */
    int creditFor(int wanted);

    /** The link has less credit, and no message for what has gone. */
    void creditGone();

    /** Lets go of everything: the link has ended. */
    void end();
}
