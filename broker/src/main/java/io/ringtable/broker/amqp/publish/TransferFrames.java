package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.frames.TransferBytes;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.ConnectionMemory;
import java.util.Arrays;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.exceptions.ProtocolViolationException;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.LinkError;
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
    private IncomingDelivery begun; // whose bytes these are; null if nothing was read of a transfer that goes on
    private boolean unfinished; // the transfer counts as one whose end has not come
    private int counted; // bytes of memory for it
    private boolean tooLarge;
    private IncomingDelivery unread; // incomplete, its bytes left in protonj2 while memory is short
    private int left; // of these bytes

    TransferFrames(PublisherLink link, Receiver receiver, Publishing publishing) {
        this.link = link;
        this.receiver = receiver;
        this.flow = publishing.flow();
        this.memory = publishing.memory();
        this.messageMax = (int) publishing.settings().maxMessageSize().toBytes();
    }

    /** Returns why the broker refuses a transfer that is too large. */
    ErrorCondition oversize() {
        return Conditions.of(
                LinkError.MESSAGE_SIZE_EXCEEDED,
                "RT-4044 a message is larger than ringtable.amqp.max-message-size=" + messageMax
                        + " bytes: send smaller ones or raise it");
    }

    /**
     * Leaves a transfer's bytes in protonj2, where they narrow the session's window: memory is short.
     *
     * @throws ProtocolViolationException if the client has sent more than the window allows
     */
    void leave(IncomingDelivery delivery) {
        if (receiver.getSession().getRemainingIncomingCapacity() < 0) {
            throw new ProtocolViolationException(
                    SessionError.WINDOW_VIOLATION, "the client sent more frames than the session's incoming window");
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

    /** Returns the incomplete transfer whose bytes were left in protonj2; null if there is none. */
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
            begun = delivery;
            count();
            return false;
        }
        return true;
    }

    /** Goes on with a transfer of which another object has read a part. That one may take larger ones. */
    void resume(IncomingDelivery delivery, byte[] read) {
        if (read.length > 0) {
            tooLarge = isTooLarge(read);
            bytes = tooLarge ? null : read;
            length = tooLarge ? 0 : read.length;
            begun = delivery;
            count();
        }
    }

    /** Tells whether a message of another object is larger than those that are read here. */
    boolean isTooLarge(byte[] message) {
        return message.length > messageMax;
    }

    /** Returns the transfer that has begun and whose bytes are not all read; null if there is none. */
    IncomingDelivery begun() {
        return begun == null ? unread : begun;
    }

    /** Lets go of the transfer that has begun. @return what was read of it */
    byte[] withdraw() {
        byte[] read = length == 0 ? NOTHING : Arrays.copyOf(bytes, length);
        abort();
        return read;
    }

    private void readAvailable(IncomingDelivery delivery) {
        int available = delivery.available();
        if (available == 0) {
            return;
        }
        if (tooLarge || (long) length + available > messageMax) {
            tooLarge = true;
            release();
            discard(delivery);
            return;
        }
        if (bytes == null) {
            bytes = delivery.isPartial() ? TransferBytes.take(available) : new byte[available];
        } else if (bytes.length < length + available) {
            long doubled = Math.max(length + (long) available, 2L * bytes.length);
            byte[] larger = Arrays.copyOf(bytes, (int) Math.min(messageMax, doubled));
            TransferBytes.giveBack(bytes);
            bytes = larger;
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
        int now = bytes == null ? 0 : TransferBytes.isSpare(bytes) ? length : bytes.length;
        unfinished = true;
        flow.unfinished(link, now - counted);
        counted = now;
    }

    boolean isTooLarge() {
        return tooLarge;
    }

    /** Returns the bytes of the complete transfer, none if it is too large; the next transfer may begin. */
    byte[] take() {
        byte[] body = NOTHING;
        if (length > 0 && bytes.length == length && !TransferBytes.isSpare(bytes)) {
            body = bytes;
        } else if (length > 0) {
            body = Arrays.copyOf(bytes, length);
        }
        forget();
        return body;
    }

    /** Forgets the transfer: its end will not come, or it is over. */
    void forget() {
        release();
        begun = null;
        tooLarge = false;
        if (unfinished) {
            unfinished = false;
            flow.finished(link, counted);
            counted = 0;
        }
    }

    private void release() {
        if (bytes != null) {
            TransferBytes.giveBack(bytes);
        }
        bytes = null;
        length = 0;
    }

    /** Forgets the transfer, which the client has aborted. */
    void abort() {
        notLeft();
        forget();
    }

    /** Gives back to the session's window what nobody will read: the link has ended. */
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
