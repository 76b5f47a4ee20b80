package io.ringtable.broker.amqp;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A client that speaks only SASL, from an address of its choice on this machine, and says what the outcome was. */
final class SaslPeer implements AutoCloseable {
    static final int OK = 0;
    static final int AUTH = 1;
    static final int TEMPORARILY_NOT = 4;

    private static final byte[] HEADER = {'A', 'M', 'Q', 'P', 3, 1, 0, 0};
    private static final int OUTCOME = 0x44;
    private static final int WAIT_MS = 120_000;

    private final Socket socket = new Socket();

    /** Sends name and password, and does not wait for the answer. */
    SaslPeer(String from, int port, String name, String password) throws IOException {
        this(from, "127.0.0.1", port, name, password);
    }

    /** Sends name and password to an address of this machine. */
    SaslPeer(String from, String to, int port, String name, String password) throws IOException {
        this(from, to, port, "PLAIN", ("\0" + name + "\0" + password).getBytes(StandardCharsets.UTF_8));
    }

    /** Sends the first message of a mechanism. */
    SaslPeer(String from, String to, int port, String mechanism, byte[] initial) throws IOException {
        socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
        socket.setSoTimeout(WAIT_MS);
        socket.connect(new InetSocketAddress(to, port));
        socket.getOutputStream().write(HEADER);
        socket.getOutputStream().write(init(mechanism, initial));
    }

    private static byte[] init(String mechanism, byte[] initial) throws IOException {
        byte[] name = mechanism.getBytes(StandardCharsets.US_ASCII);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream fields = new DataOutputStream(bytes);
        fields.write(new byte[] {(byte) 0xa3, (byte) name.length}); // symbol
        fields.write(name);
        fields.write(0xb0); // binary
        fields.writeInt(initial.length);
        fields.write(initial);
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(frame);
        out.writeInt(8 + 12 + bytes.size());
        out.write(new byte[] {2, 1, 0, 0}); // of SASL
        out.write(new byte[] {0, 0x53, 0x41, (byte) 0xd0}); // init, a list
        out.writeInt(4 + bytes.size());
        out.writeInt(2);
        out.write(bytes.toByteArray());
        return frame.toByteArray();
    }

    /** Waits for it; -1 if the broker closed without one. */
    int outcome() {
        try {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            in.skipNBytes(HEADER.length);
            while (true) {
                byte[] frame = new byte[in.readInt() - 4];
                in.readFully(frame);
                if (frame[6] == OUTCOME) {
                    return frame[frame.length - 1];
                }
            }
        } catch (EOFException e) {
            return -1;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
