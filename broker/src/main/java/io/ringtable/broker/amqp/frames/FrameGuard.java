package io.ringtable.broker.amqp.frames;

import io.netty.buffer.ByteBuf;
import io.ringtable.wire.CodecMemory;
import io.ringtable.wire.Encoding;
import io.ringtable.wire.MalformedMessage;
import io.ringtable.wire.Structure;
import java.util.Arrays;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;

/**
 * Refuses frames whose performative nests too deeply, has too many values or lies about their number
 * ({@link Structure}), since the engine decodes everything that it gets. The guard skips the payload of a transfer, and
 * ordinary transfers, flows and acceptances as a whole. The guard keeps the beginning of a frame until the rest
 * arrives, so the engine gets whole frames only.
 * <p>
 * Thread: its connection's event loop. Memory: one frame, and no more than the connection's largest.
 */
final class FrameGuard {
    private static final int SIZE_BYTES = 4;
    private static final int HEAD_BYTES = 8; // size, data offset, type, channel; or a protocol header
    private static final int PROTOCOL_HEADER = 'A' << 24 | 'M' << 16 | 'Q' << 8 | 'P';
    private static final int FLOW = 0x13;
    private static final int TRANSFER = 0x14;
    private static final int DISPOSITION = 0x15;
    /** Fields of a flow before its properties. */
    private static final int FLOW_PLAIN_FIELDS = 10;
    /** Fields of a transfer before its state, the only one that holds values. */
    private static final int TRANSFER_PLAIN_FIELDS = 7;
    /** Fields of a disposition before its state. */
    private static final int DISPOSITION_PLAIN_FIELDS = 4;

    private static final byte[] ACCEPTED = {Encoding.DESCRIBED, Encoding.ULONG_SMALL, 0x24, Encoding.LIST_0};

    private final int frameBytesMax;
    private final Consumer<ProtonBuffer> engine;
    private final Structure structure = new Structure(new CodecMemory());
    private byte[] held; // the beginning of a frame; null if there is none
    private int heldLength;
    private boolean isBroken; // the engine gets the bytes and reports the error

    /**
     * @param frameBytesMax the largest frame that the engine takes
     * @param engine gets whole frames, and bytes that are not a frame
     */
    FrameGuard(int frameBytesMax, Consumer<ProtonBuffer> engine) {
        this.frameBytesMax = frameBytesMax;
        this.engine = engine;
    }

    /**
     * Takes all bytes that have arrived. Each is copied once, since the engine keeps parts of what it gets.
     *
     * @throws MalformedMessage if a frame is beyond the bounds; the engine has the frames before it, and gets no more
     */
    public void ingest(ByteBuf arrived) throws MalformedMessage {
        while (heldLength > 0 && arrived.isReadable()) {
            complete(arrived);
        }
        int whole = wholeFrames(arrived);
        int length = isBroken ? arrived.readableBytes() : whole;
        if (length > 0) {
            byte[] bytes = new byte[length];
            arrived.readBytes(bytes);
            checkAndPass(bytes, whole);
        }
        if (arrived.isReadable()) {
            hold(arrived);
        }
    }

    /** Returns the length of all frames that have arrived whole. */
    private int wholeFrames(ByteBuf arrived) {
        int at = arrived.readerIndex();
        int end = arrived.writerIndex();
        while (!isBroken && end - at >= HEAD_BYTES) {
            int size = sizeOf(arrived.getInt(at));
            if (isBroken || end - at < size) {
                break;
            }
            at += size;
        }
        return at - arrived.readerIndex();
    }

    /** @param whole length of the frames that the bytes begin with; the engine reports what is wrong with the rest */
    private void checkAndPass(byte[] bytes, int whole) throws MalformedMessage {
        int at = 0;
        try {
            while (at < whole) {
                int size = sizeOf(Encoding.int32(bytes, at));
                check(bytes, at, size);
                at += size;
            }
            at = bytes.length;
        } finally {
            pass(bytes, at);
        }
    }

    /** Returns the length of the frame, or of the protocol header, that begins with these four bytes. */
    private int sizeOf(int begin) {
        if (begin == PROTOCOL_HEADER) {
            return HEAD_BYTES;
        }
        isBroken |= begin < HEAD_BYTES || begin > frameBytesMax;
        return begin;
    }

    private void hold(ByteBuf arrived) {
        heldLength = arrived.readableBytes();
        held = new byte[heldLength < HEAD_BYTES ? HEAD_BYTES : sizeOf(arrived.getInt(arrived.readerIndex()))];
        arrived.readBytes(held, 0, heldLength);
    }

    /** Completes the held frame from the arrived bytes, and passes it on once it is whole. */
    private void complete(ByteBuf arrived) throws MalformedMessage {
        int taken = Math.min(held.length - heldLength, arrived.readableBytes());
        arrived.readBytes(held, heldLength, taken);
        heldLength += taken;
        if (heldLength < held.length) {
            return;
        }
        int size = sizeOf(Encoding.int32(held, 0));
        if (!isBroken && size > held.length) {
            held = Arrays.copyOf(held, size); // only its head was there
            return;
        }
        byte[] frame = held;
        heldLength = 0;
        held = null;
        checkAndPass(frame, isBroken ? 0 : size);
    }

    private void pass(byte[] bytes, int length) {
        if (length > 0) {
            engine.accept(
                    ProtonByteArrayBufferAllocator.wrapped(bytes, 0, length).convertToReadOnly());
        }
    }

    private void check(byte[] bytes, int at, int size) throws MalformedMessage {
        int end = at + size;
        int body = at + ((bytes[at + SIZE_BYTES] & 0xff) << 2);
        if (Encoding.int32(bytes, at) == PROTOCOL_HEADER
                || body < at + HEAD_BYTES
                || body >= end // no body, or not a frame: the engine reports it
                || isPlain(bytes, body, end)) {
            return;
        }
        try {
            structure.check(bytes, body, end);
        } catch (MalformedMessage e) {
            throw new MalformedMessage(
                    e.code() == null ? "RT-4030" : "RT-4304", "a frame cannot be decoded: " + e.getMessage());
        }
    }

    /** Returns whether no field holds other values: a transfer without a state, a flow, a disposition that accepts. */
    private static boolean isPlain(byte[] bytes, int body, int end) {
        if (end - body <= 6
                || bytes[body] != Encoding.DESCRIBED
                || bytes[body + 1] != Encoding.ULONG_SMALL
                || (bytes[body + 3] & 0xff) != Encoding.LIST_8
                || (bytes[body + 4] & 0xff) >= end - body - 4) {
            return false;
        }
        int fields = bytes[body + 5] & 0xff;
        return switch (bytes[body + 2]) {
            case TRANSFER -> fields <= TRANSFER_PLAIN_FIELDS;
            case FLOW -> fields <= FLOW_PLAIN_FIELDS;
            case DISPOSITION -> fields == DISPOSITION_PLAIN_FIELDS + 1 && isAccepted(bytes, body + 6, end);
            default -> false;
        };
    }

    /** Returns whether the fields are plain ones, then the state {@code accepted}, and nothing else. */
    private static boolean isAccepted(byte[] bytes, int from, int end) {
        int at = from;
        for (int i = 0; i < DISPOSITION_PLAIN_FIELDS; i++) {
            int kind = at < end ? bytes[at] >> 4 & 0xf : 0;
            if (kind < 0x4 || kind > 0x8) {
                return false; // not a constructor of a fixed width from 0 to 8 bytes
            }
            at += 1 + (kind == 0x4 ? 0 : 1 << kind - 0x5);
        }
        return end - at == ACCEPTED.length && Arrays.equals(bytes, at, end, ACCEPTED, 0, ACCEPTED.length);
    }
}
