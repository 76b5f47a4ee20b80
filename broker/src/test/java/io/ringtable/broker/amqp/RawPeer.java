package io.ringtable.broker.amqp;

import io.ringtable.wire.Encoding;
import io.ringtable.wire.MalformedMessage;
import io.ringtable.wire.Poison;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;

/** A client that sends bytes on one link, and reads the outcomes; it decodes nothing. One thread. */
final class RawPeer implements AutoCloseable {
    private static final int TIMEOUT_MS = 60_000;
    private static final int BEGIN = 0x11;
    private static final int ATTACH = 0x12;
    private static final int FLOW = 0x13;
    private static final int DISPOSITION = 0x15;
    private static final int DETACH = 0x16;

    private final Socket socket;
    private final DataInputStream input;
    /** Text of the outcome by delivery: "" if it was accepted, else what the broker said. */
    final TreeMap<Long, String> outcomes = new TreeMap<>();

    private int deliveries;
    private String end; // what the broker said when it closed

    RawPeer(TestBroker broker) throws IOException {
        socket = new Socket("127.0.0.1", broker.port());
        socket.setSoTimeout(TIMEOUT_MS);
        socket.setTcpNoDelay(true);
        input = new DataInputStream(socket.getInputStream());
        socket.getOutputStream().write(new byte[] {'A', 'M', 'Q', 'P', 0, 1, 0, 0});
        input.readFully(new byte[8]);
    }

    /** With a link that sends to that address, and credit. */
    static RawPeer sendingTo(TestBroker broker, String address) throws IOException {
        RawPeer peer = new RawPeer(broker);
        peer.frame(0x10, 1, new Poison().text("raw").bytes());
        peer.frame(
                BEGIN,
                4,
                new Poison()
                        .put(0x40, 0x43)
                        .put(0x70)
                        .int32(10_000)
                        .put(0x70)
                        .int32(10_000)
                        .bytes());
        byte[] source = new Poison().put(0, 0x53, 0x28, 0x45).bytes();
        byte[] target = new Poison()
                .put(0, 0x53, 0x29)
                .compound(0xd0, 1, new Poison().text(address).bytes())
                .bytes();
        peer.frame(
                ATTACH,
                10,
                new Poison()
                        .text("link")
                        .put(0x43, 0x42, 0x40, 0x40)
                        .put(source)
                        .put(target)
                        .put(0x40, 0x42, 0x43)
                        .bytes());
        while (peer.read() != FLOW) {
            // open, begin, attach
        }
        return peer;
    }

    /** A performative on channel 0, with nothing behind it. */
    void frame(int code, int count, byte[] fields) throws IOException {
        frame(new Poison().put(0, 0x53, code).compound(0xd0, count, fields).bytes());
    }

    /** Deduplication the broker has closed, nothing is sent any more; what it said is still read. */
    void frame(byte[] body) throws IOException {
        byte[] frame =
                new Poison().int32(8 + body.length).put(2, 0, 0, 0).put(body).bytes();
        try {
            socket.getOutputStream().write(frame);
        } catch (SocketException closed) {
            // The next read comes to the end.
        }
    }

    void send(byte[] message) throws IOException {
        send(message, new byte[] {0x40});
    }

    /** @param state of the transfer */
    void send(byte[] message, byte[] state) throws IOException {
        int id = deliveries++;
        int most = 60_000;
        for (int from = 0; from == 0 || from < message.length; from += most) {
            int to = Math.min(message.length, from + most);
            byte[] fields = new Poison()
                    .put(0x43, 0x70)
                    .int32(id)
                    .put(0xa0, 4)
                    .int32(id)
                    .put(0x43, 0x42, to < message.length ? 0x41 : 0x42, 0x40)
                    .put(state)
                    .bytes();
            frame(new Poison()
                    .put(0, 0x53, 0x14)
                    .compound(0xd0, 8, fields)
                    .put(java.util.Arrays.copyOfRange(message, from, to))
                    .bytes());
        }
    }

    /** Until everything that was sent has its outcome, or the link or the connection has ended. */
    void awaitOutcomes() throws IOException {
        while (outcomes.size() < deliveries && end == null) {
            if (read() == DETACH) {
                return;
            }
        }
    }

    /** Reads to the end and returns what the broker says last. */
    String awaitEnd() throws IOException {
        while (end == null) {
            read();
        }
        return end;
    }

    /** @return code of the performative; -1 at the end */
    private int read() throws IOException {
        byte[] frame;
        try {
            frame = new byte[input.readInt() - 4];
            input.readFully(frame);
        } catch (SocketTimeoutException silence) {
            throw silence;
        } catch (IOException closed) {
            end = end == null ? "" : end;
            return -1;
        }
        if (frame.length == 4) {
            return 0; // empty
        }
        int code = frame[6] & 0xff;
        if (code == DISPOSITION) {
            onDisposition(frame);
        } else if (code == 0x18) {
            end = new String(frame, StandardCharsets.ISO_8859_1);
        }
        return code;
    }

    private void onDisposition(byte[] frame) {
        try {
            int from = (frame[7] & 0xff) == Encoding.LIST_8 ? 10 : 16;
            int first = Encoding.skip(frame, from, frame.length);
            int last = Encoding.skip(frame, first, frame.length);
            long firstId = Encoding.number(frame, first, frame.length, 0);
            long lastId = Encoding.number(frame, last, frame.length, firstId);
            String text = new String(frame, StandardCharsets.ISO_8859_1);
            int code = text.indexOf("RT-");
            for (long id = firstId; id <= lastId; id++) {
                outcomes.put(id, code < 0 ? "" : text.substring(code));
            }
        } catch (MalformedMessage e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
