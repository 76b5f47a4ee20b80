package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.WaitingBytes;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.watermark.Watermarks;

/**
 * Limits the transfers of one link that wait for room in full addresses. On a patient link a transfer waits without a
 * limit, since credit slows its publisher. On another link it waits for a while, and does not count against the window.
 * <p>
 * Thread: the connection's event loop.
 */
final class WaitingRoom {
    /**
     * One link may wait with a quarter of the bytes that its connection may have without an outcome. So the other links
     * of the connection go on while a full address fills this part. One message of any size may always wait.
     */
    private static final int BUFFER_PART = 4;

    /**
     * Transfers of an impatient link wait beyond its window. A fifth of its credit adds little to what it may have on
     * its way.
     */
    private static final int CREDIT_PART = 5;

    private final AmqpCounters counters;
    private final Watermarks watermarks;
    private final WaitingBytes all;
    private final boolean patient;
    private final int messagesMax;
    private final long bytesMax;
    private int messages;
    private long bytes;

    private WaitingRoom(Publishing publishing, boolean patient, int messagesMax) {
        AmqpProperties settings = publishing.settings();
        this.counters = publishing.counters();
        this.watermarks = publishing.watermarks();
        this.all = publishing.waitingBytes();
        this.patient = patient;
        this.messagesMax = messagesMax;
        this.bytesMax = Math.max(
                settings.maxMessageSize().toBytes(), settings.bufferedBytesMax().toBytes() / BUFFER_PART);
    }

    /**
     * Makes the room of a link whose credit limits how many may wait. The first waiting transfer may be of any size.
     */
    static WaitingRoom patient(Publishing publishing) {
        return new WaitingRoom(publishing, true, Integer.MAX_VALUE);
    }

    static WaitingRoom impatient(Publishing publishing) {
        int messagesMax = Math.max(1, publishing.settings().linkCredit() / CREDIT_PART);
        return new WaitingRoom(publishing, false, messagesMax);
    }

    /** Returns whether transfers for a full address wait without a bound in time. */
    boolean isPatient() {
        return patient;
    }

    /** Counts transfers outside the link's window. */
    int beyondWindow() {
        return patient ? 0 : messages;
    }

    /** Lets a transfer wait. @return false if it may not */
    boolean enter(Publication publication) {
        boolean fits = messages < messagesMax && bytes + publication.bytes() <= bytesMax || patient && messages == 0;
        if (!fits || watermarks.isReached() || !all.tryTake(publication.bytes())) {
            return false;
        }
        publication.waitsForRoom(true);
        messages++;
        bytes += publication.bytes();
        counters.parked.increment();
        return true;
    }

    void leave(Publication publication) {
        if (publication.waitsForRoom()) {
            publication.waitsForRoom(false);
            messages--;
            bytes -= publication.bytes();
            all.give(publication.bytes());
            counters.parked.decrement();
        }
    }
}
