package io.ringtable.client.internal.publish;

import io.ringtable.client.internal.connection.AmqpConnection;
import io.ringtable.wire.BatchFormat;
import io.ringtable.wire.EncodingWriter;
import java.util.List;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;

/**
 * Writes transfers into the engine, several messages as one batch. Where the session's window takes only a part of a
 * transfer, the writer keeps the rest. Thread: the I/O thread.
 */
final class TransferWriter {

    private EncodingWriter batchBytes = new EncodingWriter();
    private OutgoingDelivery partial; // null = all that was written has gone whole
    private ProtonBuffer partialBytes;

    /** @return whether the transfer has gone whole */
    boolean write(OutgoingDelivery delivery, List<Outgoing> messages) {
        ProtonBuffer bytes;
        boolean batch = messages.size() > 1;
        if (batch) {
            delivery.setMessageFormat(BatchFormat.CODE);
            bytes = encodeBatch(messages);
        } else {
            byte[] encoded = messages.get(0).encoded();
            bytes = AmqpConnection.wrap(encoded, encoded.length);
        }
        delivery.writeBytes(bytes);
        if (!bytes.isReadable()) {
            return true;
        }
        partial = delivery;
        partialBytes = bytes;
        if (batch) {
            // The rest of the array is still needed.
            batchBytes = new EncodingWriter();
        }
        return false;
    }

    /** Writes one data section for each message. */
    private ProtonBuffer encodeBatch(List<Outgoing> messages) {
        batchBytes.reset();
        for (Outgoing message : messages) {
            BatchFormat.add(batchBytes, message.encoded());
        }
        return AmqpConnection.wrap(batchBytes.array(), batchBytes.position());
    }

    boolean hasRest() {
        return partial != null;
    }

    /** @return whether the transfer has gone whole now */
    boolean writeRest() {
        partial.writeBytes(partialBytes);
        if (partialBytes.isReadable()) {
            return false;
        }
        forgetRest();
        return true;
    }

    void forgetRest() {
        partial = null;
        partialBytes = null;
    }
}
