package io.ringtable.broker.amqp;

import io.ringtable.wire.Encoding;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.codec.CodecFactory;
import org.apache.qpid.protonj2.codec.Decoder;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.DescribedType;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnknownDescribedType;
import org.apache.qpid.protonj2.types.UnsignedByte;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.UnsignedLong;

/**
 * Acts as a client that names every described type by its symbol (AMQP 1.0 section 1.5), as few libraries do and all
 * may. It has one session, on channel 0. Thread: the test's.
 */
final class SymbolicPeer implements AutoCloseable {
    private static final int READ_MS = 60_000;
    private static final int HEADER_BYTES = 8;
    private static final byte AMQP = 0;
    private static final byte SASL = 1;

    private final Decoder decoder = CodecFactory.getDefaultDecoder();
    private final Decoder saslDecoder = CodecFactory.getDefaultSaslDecoder();
    private final Socket socket;
    private final DataInputStream in;

    private final List<Frame> untaken = new ArrayList<>();
    private byte[] payload = {}; // behind the performative that was taken last

    private record Frame(Object performative, byte[] payload) {
        boolean isA(String name) {
            return performative.getClass().getSimpleName().equals(name);
        }
    }

    /** Connected and logged in as nobody. */
    SymbolicPeer(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(READ_MS);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
        protocol(3);
        expect("SaslMechanisms");
        frame(SASL, described("amqp:sasl-init:list", Symbol.valueOf("ANONYMOUS")));
        expect("SaslOutcome");
        protocol(0);
    }

    private void protocol(int id) throws IOException {
        byte[] header = {'A', 'M', 'Q', 'P', (byte) id, 1, 0, 0};
        socket.getOutputStream().write(header);
        byte[] answer = in.readNBytes(header.length);
        if (!Arrays.equals(answer, header)) {
            throw new IOException("the broker answers " + Arrays.toString(answer));
        }
    }

    static DescribedType described(String symbol, Object... fields) {
        return new UnknownDescribedType(Symbol.valueOf(symbol), Arrays.asList(fields));
    }

    /** A described value that is no list. */
    static DescribedType value(String symbol, Object value) {
        return new UnknownDescribedType(Symbol.valueOf(symbol), value);
    }

    static UnsignedInteger uint(int value) {
        return UnsignedInteger.valueOf(value);
    }

    /** The library's encoder has no nulls in the lists of types that it does not know. */
    private static byte[] encode(Object... values) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (Object value : values) {
            bytes.writeBytes(encodeOne(value));
        }
        return bytes.toByteArray();
    }

    private static byte[] encodeOne(Object value) {
        if (value == null) {
            return new byte[] {Encoding.NULL};
        } else if (value instanceof Boolean flag) {
            return new byte[] {(byte) (flag ? Encoding.TRUE : Encoding.FALSE)};
        } else if (value instanceof UnsignedByte small) {
            return new byte[] {Encoding.UBYTE, small.byteValue()};
        } else if (value instanceof UnsignedInteger number) {
            return fixed(Encoding.UINT, number.intValue());
        } else if (value instanceof UnsignedLong number) {
            return ByteBuffer.allocate(9)
                    .put((byte) Encoding.ULONG)
                    .putLong(number.longValue())
                    .array();
        } else if (value instanceof Integer number) {
            return fixed(Encoding.INT, number);
        } else if (value instanceof Symbol symbol) {
            return variable(Encoding.SYMBOL_32, symbol.toString().getBytes(StandardCharsets.US_ASCII));
        } else if (value instanceof String text) {
            return variable(Encoding.STRING_32, text.getBytes(StandardCharsets.UTF_8));
        } else if (value instanceof Binary binary) {
            return variable(Encoding.BINARY_32, binary.asByteArray());
        } else if (value instanceof List<?> list) {
            return compound(Encoding.LIST_32, list);
        } else if (value instanceof Map<?, ?> map) {
            List<Object> entries = new ArrayList<>();
            map.forEach((key, entry) -> entries.addAll(Arrays.asList(key, entry)));
            return compound(Encoding.MAP_32, entries);
        } else if (value instanceof DescribedType described) {
            byte[] inside = encode(described.getDescriptor(), described.getDescribed());
            return ByteBuffer.allocate(1 + inside.length)
                    .put((byte) Encoding.DESCRIBED)
                    .put(inside)
                    .array();
        }
        throw new IllegalArgumentException("no encoding for a " + value.getClass());
    }

    private static byte[] fixed(int code, int number) {
        return ByteBuffer.allocate(5).put((byte) code).putInt(number).array();
    }

    private static byte[] variable(int code, byte[] bytes) {
        return ByteBuffer.allocate(5 + bytes.length)
                .put((byte) code)
                .putInt(bytes.length)
                .put(bytes)
                .array();
    }

    private static byte[] compound(int code, List<?> elements) {
        byte[] inside = encode(elements.toArray());
        return ByteBuffer.allocate(9 + inside.length)
                .put((byte) code)
                .putInt(4 + inside.length)
                .putInt(elements.size())
                .put(inside)
                .array();
    }

    void send(DescribedType performative, byte... behind) throws IOException {
        frame(AMQP, performative, behind);
    }

    private void frame(byte type, DescribedType performative, byte... behind) throws IOException {
        byte[] body = encode(performative);
        ByteBuffer frame = ByteBuffer.allocate(HEADER_BYTES + body.length + behind.length);
        frame.putInt(frame.capacity()).put((byte) 2).put(type).putShort((short) 0);
        socket.getOutputStream().write(frame.put(body).put(behind).array());
    }

    /** The first frame of that kind which has not been taken; what came before it stays for later, flows do not. */
    Object expect(String performative) throws IOException {
        Frame frame = take(performative);
        while (frame == null) {
            Frame next = next();
            if (next.isA(performative) || !next.isA("Flow")) {
                untaken.add(next);
            }
            if (next.isA("Close") && !performative.equals("Close")) {
                throw new AssertionError("expected " + performative + ", and the broker sends " + next.performative);
            }
            frame = take(performative);
        }
        payload = frame.payload;
        return frame.performative;
    }

    private Frame take(String performative) {
        Frame found = untaken.stream()
                .filter(frame -> frame.isA(performative))
                .findFirst()
                .orElse(null);
        untaken.remove(found);
        return found;
    }

    private Frame next() throws IOException {
        while (true) {
            int size = in.readInt();
            byte[] frame = in.readNBytes(size - 4);
            int offset = (frame[0] & 0xff) * 4 - 4;
            if (offset < frame.length) {
                ProtonBuffer body = ProtonBufferAllocator.defaultAllocator().copy(frame, offset, frame.length - offset);
                Decoder ofType = frame[1] == SASL ? saslDecoder : decoder;
                Object read = ofType.readObject(body, ofType.newDecoderState());
                byte[] rest = new byte[body.getReadableBytes()];
                body.readBytes(rest, 0, rest.length);
                return new Frame(read, rest);
            }
        }
    }

    byte[] payload() {
        return payload;
    }

    /** One message in sections that are all named by symbols. */
    byte[] message(DescribedType... sections) {
        return encode((Object[]) sections);
    }

    /** A transfer of message format 0. @param state null outside of transactions */
    void transfer(int handle, int id, DescribedType state, byte[] message) throws IOException {
        transfer(handle, id, 0, state, message);
    }

    void transfer(int handle, int id, int format, DescribedType state, byte[] message) throws IOException {
        send(
                described(
                        "amqp:transfer:list",
                        uint(handle),
                        uint(id),
                        new Binary(new byte[] {(byte) id}),
                        uint(format),
                        false,
                        false,
                        null,
                        state),
                message);
    }

    /** Of one delivery that the broker sent. */
    void disposition(long deliveryId, boolean settled, DescribedType state) throws IOException {
        send(described("amqp:disposition:list", true, uint((int) deliveryId), uint((int) deliveryId), settled, state));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
