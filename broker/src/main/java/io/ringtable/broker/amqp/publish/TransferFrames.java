package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.link.ConnectionMemory;
import java.util.Arrays;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.exceptions.ProtocolViolationException;
import org.apache.qpid.protonj2.types.transport.SessionError;

/**
 * Collects the frames of the transfer that is arriving on a link, and counts the memory that it takes.
 * <p>
 * Thread: the connection's event loop.
 */
final class TransferFrames {
    private static final byte[] NOTHING = new byte[0];

    private final PublisherLink link;
    private final Receiver receiver;
    private final FlowControl flow;
    private final ConnectionMemory memory;
    private final int messageMax; // bytes
    private byte[] bytes;
    private int length;
    private boolean unfinished; // it is counted as a transfer whose end has not come
    private int counted; // bytes of memory for it
    private boolean tooLarge;
    private IncomingDelivery unread; // incomplete, its bytes left in the engine while memory is short
    private int left; // of these bytes

    TransferFrames(PublisherLink link, Receiver receiver, Publishing publishing) {
        this.link = link;
        this.receiver = receiver;
        this.flow = publishing.flow();
        this.memory = publishing.memory();
        this.messageMax = publishing.settings().maxMessageSize();
    }

    int messageMax() {
        return messageMax;
    }

    /**
     * Leaves its bytes in the engine, where they narrow the session's window: memory is short.
     *
     * @throws ProtocolViolationException if the client has sent more than the window lets it
     */
    void leave(IncomingDelivery delivery) {
        if (receiver.getSession().getRemainingIncomingCapacity() < 0) {
            throw new ProtocolViolationException(
                    SessionError.WINDOW_VIOLATION, "more frames than the session's incoming window");
        }
        int available = delivery.available();
        memory.unread(available - left);
        if (delivery.isPartial()) {
            unread = delivery;
            left = available;
            flow.leftUnread(link);
        } else {
            unread = null;
            left = 0;
            flow.defer(link, delivery, available);
        }
    }

    /** The incomplete transfer whose bytes were left in the engine; null if there is none. */
    IncomingDelivery unread() {
        return unread;
    }

    /** Reads what has arrived. @return whether the transfer is complete: {@link #take} has it */
    boolean read(IncomingDelivery delivery) {
        if (delivery == unread) {
            notLeft();
        }
        readAvailable(delivery);
        if (delivery.isPartial()) {
            count();
            return false;
        }
        return true;
    }

    private void readAvailable(IncomingDelivery delivery) {
        int available = delivery.available();
        if (available == 0) {
            return;
        }
        if (tooLarge || (long) length + available > messageMax) {
            tooLarge = true;
            bytes = null;
            length = 0;
            discard(delivery);
            return;
        }
        if (bytes == null) {
            bytes = new byte[available];
        } else if (bytes.length < length + available) {
            long doubled = Math.max(length + (long) available, 2L * bytes.length);
            bytes = Arrays.copyOf(bytes, (int) Math.min(messageMax, doubled));
        }
        delivery.readBytes(bytes, length, available);
        length += available;
    }

    static void discard(IncomingDelivery delivery) {
        ProtonBuffer rest = delivery.readAll();
        if (rest != null) {
            rest.close();
        }
    }

    private void count() {
        int now = bytes == null ? 0 : bytes.length;
        unfinished = true;
        flow.unfinished(link, now - counted);
        counted = now;
    }

    boolean isTooLarge() {
        return tooLarge;
    }

    /** The bytes of the complete transfer, none if it is too large; the next one may begin. */
    byte[] take() {
        byte[] body = length == 0 ? NOTHING : bytes.length == length ? bytes : Arrays.copyOf(bytes, length);
        forget();
        return body;
    }

    /** Its end will not come, or it is over. */
    void forget() {
        bytes = null;
        length = 0;
        tooLarge = false;
        if (unfinished) {
            unfinished = false;
            flow.finished(link, counted);
            counted = 0;
        }
    }

    /** The client has aborted the transfer. */
    void abort() {
        notLeft();
        forget();
    }

    /** The link has ended: gives the session's window back what nobody will read. */
    void end() {
        if (unread != null) {
            FlowControl.giveBack(receiver.getSession(), unread.available());
        }
        abort();
    }

    private void notLeft() {
        unread = null;
        if (left > 0) {
            memory.unread(-left);
            left = 0;
        }
    }
}
