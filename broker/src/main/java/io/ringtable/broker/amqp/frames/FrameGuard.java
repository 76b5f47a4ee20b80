package io.ringtable.broker.amqp.frames;

import io.ringtable.broker.amqp.encoding.CodecMemory;
import io.ringtable.broker.amqp.encoding.Encoding;
import io.ringtable.broker.amqp.encoding.MalformedMessage;
import io.ringtable.broker.amqp.encoding.Structure;
import java.util.Arrays;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;

/**
 * Stands before the engine and lets no frame pass whose performative nests too deeply, has too many values or lies about their number
 * ({@link Structure}): the engine decodes whatever it is given. Payloads of transfers are not looked at, and of an ordinary transfer
 * nothing at all. A frame that has not arrived whole is kept here, so that the engine gets whole frames only.
 * <p>
 * Thread: its connection's event loop. Memory: one frame, and no more than the connection's largest.
 */
final class FrameGuard {
    private static final int SIZE_BYTES = 4;
    private static final int HEAD_BYTES = 8; // size, data offset, type, channel; or a protocol header
    private static final int PROTOCOL_HEADER = 'A' << 24 | 'M' << 16 | 'Q' << 8 | 'P';
    private static final int TRANSFER = 0x14;
    /** Fields of a transfer before its state, the only one that holds values. */
    private static final int TRANSFER_PLAIN_FIELDS = 7;

    private final int frameBytesMax;
    private final Consumer<ProtonBuffer> engine;
    private final Structure structure = new Structure(new CodecMemory());
    private byte[] held; // the beginning of a frame; null if there is none
    private int heldLength;
    private boolean isBroken; // the engine finds no frame there either, and says so

    /**
     * @param frameBytesMax largest frame that the engine takes
     * @param engine gets whole frames, and what is none
     */
    FrameGuard(int frameBytesMax, Consumer<ProtonBuffer> engine) {
        this.frameBytesMax = frameBytesMax;
        this.engine = engine;
    }

    /**
     * Takes what has arrived.
     *
     * @param bytes nobody changes them any more
     * @throws MalformedMessage if a frame is beyond the bounds; the engine has those before it, and is to get nothing more
     */
    public void ingest(byte[] bytes, int from, int length) throws MalformedMessage {
        int end = from + length;
        int at = from;
        while (heldLength > 0 && at < end) {
            at += complete(bytes, at, end);
        }
        int whole = at;
        try {
            while (!isBroken && end - whole >= HEAD_BYTES) {
                int size = sizeOf(bytes, whole);
                if (isBroken || end - whole < size) {
                    break;
                }
                check(bytes, whole, size);
                whole += size;
            }
        } finally {
            pass(bytes, at, isBroken ? end : whole);
        }
        if (!isBroken && whole < end) {
            hold(bytes, whole, end);
        }
    }

    /** Bytes of the frame, or of the protocol header, that begins there. */
    private int sizeOf(byte[] bytes, int at) {
        int size = Encoding.int32(bytes, at);
        if (size == PROTOCOL_HEADER) {
            return HEAD_BYTES;
        }
        isBroken = size < HEAD_BYTES || size > frameBytesMax;
        return size;
    }

    private void hold(byte[] bytes, int from, int end) {
        heldLength = end - from;
        int room = heldLength < HEAD_BYTES ? HEAD_BYTES : sizeOf(bytes, from);
        held = new byte[room];
        System.arraycopy(bytes, from, held, 0, heldLength);
    }

    /** @return how many of the bytes belong to the frame that is held */
    private int complete(byte[] bytes, int from, int end) throws MalformedMessage {
        int taken = Math.min(held.length - heldLength, end - from);
        System.arraycopy(bytes, from, held, heldLength, taken);
        heldLength += taken;
        if (heldLength < held.length) {
            return taken;
        }
        int size = sizeOf(held, 0);
        if (!isBroken && size > held.length) {
            held = Arrays.copyOf(held, size); // only its head had been there
            return taken;
        }
        byte[] frame = held;
        heldLength = 0;
        held = null;
        if (!isBroken) {
            check(frame, 0, size);
        }
        pass(frame, 0, frame.length);
        return taken;
    }

    private void pass(byte[] bytes, int from, int to) {
        if (to > from) {
            engine.accept(ProtonByteArrayBufferAllocator.wrapped(bytes, from, to - from)
                    .convertToReadOnly());
        }
    }

    private void check(byte[] bytes, int at, int size) throws MalformedMessage {
        int end = at + size;
        int body = at + ((bytes[at + SIZE_BYTES] & 0xff) << 2);
        if (Encoding.int32(bytes, at) == PROTOCOL_HEADER
                || body < at + HEAD_BYTES
                || body >= end // no body, or no frame, which the engine says
                || isPlainTransfer(bytes, body, end)) {
            return;
        }
        try {
            structure.check(bytes, body, end);
        } catch (MalformedMessage e) {
            throw new MalformedMessage(
                    e.code() == null ? "RT-4030" : "RT-4304", "a frame cannot be decoded: " + e.getMessage());
        }
    }

    private static boolean isPlainTransfer(byte[] bytes, int body, int end) {
        return end - body > 6
                && bytes[body + 2] == TRANSFER
                && bytes[body] == Encoding.DESCRIBED
                && bytes[body + 1] == Encoding.ULONG_SMALL
                && (bytes[body + 3] & 0xff) == Encoding.LIST_8
                && (bytes[body + 4] & 0xff) < end - body - 4
                && (bytes[body + 5] & 0xff) <= TRANSFER_PLAIN_FIELDS;
    }
}
