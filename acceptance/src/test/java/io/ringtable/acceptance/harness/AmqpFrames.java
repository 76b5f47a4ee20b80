package io.ringtable.acceptance.harness;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.codec.CodecFactory;
import org.apache.qpid.protonj2.codec.Decoder;
import org.apache.qpid.protonj2.codec.Encoder;
import org.apache.qpid.protonj2.types.messaging.Section;

/**
 * Bytes of a connection, cut into frames (AMQP 1.0 §2.3). Thread: one at a time.
 */
public final class AmqpFrames {
    public static final byte TYPE_AMQP = 0;
    public static final byte TYPE_SASL = 1;
    private static final int HEADER_BYTES = 8;
    private static final byte[] PROTOCOL = {'A', 'M', 'Q', 'P'};

    private final Encoder encoder = CodecFactory.getDefaultEncoder();
    private final Encoder saslEncoder = CodecFactory.getDefaultSaslEncoder();
    private final Decoder decoder = CodecFactory.getDefaultDecoder();
    private final Decoder saslDecoder = CodecFactory.getDefaultSaslDecoder();

    /**
     * @param performative null in an empty frame, which only keeps a connection alive
     * @param payload what follows the performative
     */
    public record Frame(byte type, int channel, Object performative, byte[] payload) {}

    /** Takes the next frame off the buffer, protocol headers skipped; null if it is not complete yet. */
    public Frame next(ByteBuffer bytes) {
        while (bytes.remaining() >= HEADER_BYTES) {
            int start = bytes.position();
            byte[] first = new byte[PROTOCOL.length];
            bytes.get(start, first);
            if (Arrays.equals(first, PROTOCOL)) {
                bytes.position(start + HEADER_BYTES);
                continue;
            }
            int size = bytes.getInt(start);
            if (size < HEADER_BYTES) {
                throw new IllegalStateException("a frame of " + size + " bytes");
            }
            if (bytes.remaining() < size) {
                return null;
            }
            byte[] frame = new byte[size];
            bytes.get(frame);
            return decode(frame);
        }
        return null;
    }

    private Frame decode(byte[] frame) {
        int offset = (frame[4] & 0xff) * 4;
        byte type = frame[5];
        int channel = (frame[6] & 0xff) << 8 | frame[7] & 0xff;
        if (offset == frame.length) {
            return new Frame(type, channel, null, new byte[0]);
        }
        ProtonBuffer body = ProtonBufferAllocator.defaultAllocator().copy(frame, offset, frame.length - offset);
        Decoder decoderOfType = type == TYPE_SASL ? saslDecoder : decoder;
        Object performative = decoderOfType.readObject(body, decoderOfType.newDecoderState());
        byte[] payload = new byte[body.getReadableBytes()];
        body.readBytes(payload, 0, payload.length);
        return new Frame(type, channel, performative, payload);
    }

    public byte[] encode(byte type, int channel, Object performative, byte[] payload) {
        byte[] body = object(type == TYPE_SASL ? saslEncoder : encoder, performative);
        ByteBuffer frame = ByteBuffer.allocate(HEADER_BYTES + body.length + payload.length);
        frame.putInt(frame.capacity()).put((byte) 2).put(type).putShort((short) channel);
        return frame.put(body).put(payload).array();
    }

    /** A section of a message. */
    public byte[] section(Object section) {
        return object(encoder, section);
    }

    /** The sections of a message, in their order. */
    public List<Section<?>> sections(byte[] message) {
        ProtonBuffer bytes = ProtonBufferAllocator.defaultAllocator().copy(message, 0, message.length);
        List<Section<?>> sections = new ArrayList<>();
        while (bytes.isReadable()) {
            sections.add((Section<?>) decoder.readObject(bytes, decoder.newDecoderState()));
        }
        return sections;
    }

    private static byte[] object(Encoder encoder, Object value) {
        ProtonBuffer buffer = ProtonBufferAllocator.defaultAllocator().allocate();
        encoder.writeObject(buffer, encoder.newEncoderState(), value);
        byte[] bytes = new byte[buffer.getReadableBytes()];
        buffer.readBytes(bytes, 0, bytes.length);
        return bytes;
    }
}
