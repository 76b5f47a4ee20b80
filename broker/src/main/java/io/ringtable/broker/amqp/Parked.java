package io.ringtable.broker.amqp;

import io.ringtable.broker.watermark.Watermarks;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The transfers of one link that wait for room in full addresses: bounded for the link, and in bytes for all links together,
 * since thousands of links may wait.
 * <p>
 * Thread: the connection's event loop; {@code all} is shared by every loop.
 */
final class Parked {
    private final AmqpCounters counters;
    private final Watermarks watermarks;
    private final AtomicLong all;
    private final long allMax;
    private final int messagesMax;
    private final long bytesMax;
    private int messages;
    private long bytes;

    /** @param messagesMax most transfers of this link */
    Parked(AmqpServer server, int messagesMax) {
        this.counters = server.counters();
        this.watermarks = server.watermarks();
        this.all = server.parkedBytes();
        this.allMax = server.parkedBytesMax();
        this.messagesMax = messagesMax;
        this.bytesMax = server.settings().parkedBytesMax();
    }

    int messages() {
        return messages;
    }

    /** @param atLeastOne whether the first one may be larger than the link's bound */
    boolean take(Publication publication, boolean atLeastOne) {
        boolean fits = messages < messagesMax && bytes + publication.bytes() <= bytesMax || atLeastOne && messages == 0;
        if (!fits || watermarks.isReached()) {
            return false;
        }
        if (all.addAndGet(publication.bytes()) > allMax) {
            all.addAndGet(-publication.bytes());
            return false;
        }
        publication.parked(true);
        messages++;
        bytes += publication.bytes();
        counters.parked.increment();
        return true;
    }

    void give(Publication publication) {
        if (publication.isParked()) {
            publication.parked(false);
            messages--;
            bytes -= publication.bytes();
            all.addAndGet(-publication.bytes());
            counters.parked.decrement();
        }
    }
}
