package io.ringtable.broker.amqp;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
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
        socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
        socket.setSoTimeout(WAIT_MS);
        socket.connect(new InetSocketAddress(to, port));
        socket.getOutputStream().write(HEADER);
        socket.getOutputStream().write(init("\0" + name + "\0" + password));
    }

    private static byte[] init(String response) throws IOException {
        byte[] bytes = response.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream fields = new ByteArrayOutputStream();
        fields.write(new byte[] {(byte) 0xa3, 5, 'P', 'L', 'A', 'I', 'N', (byte) 0xa0, (byte) bytes.length});
        fields.write(bytes);
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.write(new byte[] {0, 0, 0, (byte) (8 + 6 + fields.size()), 2, 1, 0, 0});
        frame.write(new byte[] {0, 0x53, 0x41, (byte) 0xc0, (byte) (fields.size() + 1), 2});
        frame.write(fields.toByteArray());
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
