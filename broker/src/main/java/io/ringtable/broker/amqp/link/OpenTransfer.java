package io.ringtable.broker.amqp.link;

import org.apache.qpid.protonj2.engine.IncomingDelivery;

/**
 * Is a transfer of a client that nobody has handed in, on its way from one object that serves its link to another.
 *
 * @param delivery what the engine has of it; the transfer may not have ended
 * @param read the bytes that were read of it already
 */
public record OpenTransfer(IncomingDelivery delivery, byte[] read) {
    private static final byte[] NOTHING = {};

    /** Makes one of which nothing was read. */
    public static OpenTransfer of(IncomingDelivery delivery) {
        return new OpenTransfer(delivery, NOTHING);
    }

    /** Tells whether its end has come. */
    public boolean hasEnded() {
        return !delivery.isPartial() || delivery.isAborted();
    }

    /** Tells whether all of it was read. */
    public boolean isRead() {
        return read.length > 0 && !delivery.isPartial() && delivery.available() == 0;
    }
}
