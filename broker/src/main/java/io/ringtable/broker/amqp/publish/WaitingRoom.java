package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.settings.AmqpSettings;
import io.ringtable.broker.watermark.Watermarks;

/**
 * Bounds the transfers of one link that wait for room in full addresses. A patient link waits as long as it takes, since its
 * publisher is slowed by its credit. On another one a transfer waits for a while and does not count against its window.
 * <p>
 * Thread: the connection's event loop.
 */
final class WaitingRoom {
    private final AmqpCounters counters;
    private final Watermarks watermarks;
    private final WaitingBytes all;
    private final boolean patient;
    private final int messagesMax;
    private final long bytesMax;
    private int messages;
    private long bytes;

    private WaitingRoom(Publishing publishing, boolean patient, int messagesMax) {
        AmqpSettings settings = publishing.settings();
        this.counters = publishing.counters();
        this.watermarks = publishing.watermarks();
        this.all = publishing.waitingBytes();
        this.patient = patient;
        this.messagesMax = messagesMax;
        this.bytesMax = settings.parkedBytesMax();
    }

    /** For a link whose credit bounds how many may wait. The first one that waits may be of any size. */
    static WaitingRoom patient(Publishing publishing) {
        return new WaitingRoom(publishing, true, Integer.MAX_VALUE);
    }

    static WaitingRoom impatient(Publishing publishing) {
        return new WaitingRoom(publishing, false, publishing.settings().parkedMessagesMax());
    }

    boolean isPatient() {
        return patient;
    }

    /** Transfers that do not count against the link's window. */
    int beyondWindow() {
        return patient ? 0 : messages;
    }

    /** @return whether the transfer may wait */
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
