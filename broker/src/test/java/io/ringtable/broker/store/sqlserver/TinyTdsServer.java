package io.ringtable.broker.store.sqlserver;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Imitates as much of SQL Server as a driver needs to log in and to call procedures that answer nothing. Notes each
 * request and says that it was done. Shows what goes over the wire where no server is; says nothing about what a server
 * would make of it.
 */
final class TinyTdsServer implements AutoCloseable {
    static final int EXECUTE = 12; // sp_execute: a handle that is known
    static final int PREPARE_AND_EXECUTE = 13; // sp_prepexec

    private static final int BATCH = 1;
    private static final int CALL = 3;
    private static final int ATTENTION = 6;
    private static final int LOGIN = 16;
    private static final int PRELOGIN = 18;
    private static final int HEAD_BYTES = 8;
    private static final byte[] DONE = {(byte) 0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    private static final byte[] DONE_CALL = {(byte) 0xFE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

    private final ServerSocket listening;
    private final List<Request> requests = new CopyOnWriteArrayList<>();

    /**
     * @param procedure number of the built-in procedure; 0 = a batch of SQL
     * @param bytes of the whole request
     * @param text its bytes as Latin-1, without zeros: names and SQL can be read in it
     */
    record Request(int procedure, int bytes, String text) {}

    TinyTdsServer() throws IOException {
        listening = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(this::accept, "tiny-tds");
        thread.setDaemon(true);
        thread.start();
    }

    String url() {
        return "jdbc:sqlserver://127.0.0.1:" + listening.getLocalPort() + ";databaseName=x;encrypt=false";
    }

    /** Calls and batches so far, log-ins left out. */
    List<Request> requests() {
        return requests;
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listening.accept();
                Thread thread = new Thread(() -> serve(socket), "tiny-tds-connection");
                thread.setDaemon(true);
                thread.start();
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            while (true) {
                ByteArrayOutputStream request = new ByteArrayOutputStream();
                int type;
                boolean last;
                do {
                    type = in.readUnsignedByte();
                    last = (in.readUnsignedByte() & 1) != 0;
                    int length = in.readUnsignedShort() - HEAD_BYTES;
                    in.readInt();
                    request.write(in.readNBytes(length));
                } while (!last);
                send(socket.getOutputStream(), answer(type, request.toByteArray()));
            }
        } catch (EOFException | SocketException e) {
            // the driver has gone
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private byte[] answer(int type, byte[] request) {
        return switch (type) {
            case PRELOGIN -> prelogin();
            case LOGIN -> login();
            case BATCH -> noted(0, request, DONE);
            case CALL -> call(request);
            case ATTENTION -> DONE;
            default -> throw new IllegalStateException("request of type " + type);
        };
    }

    private byte[] noted(int procedure, byte[] request, byte[] answer) {
        String text = new String(request, StandardCharsets.ISO_8859_1).replace("\0", "");
        requests.add(new Request(procedure, request.length, text));
        return answer;
    }

    /** Version 16, no encryption: four options with their offsets, then what they say. */
    private static byte[] prelogin() {
        ByteBuffer options = ByteBuffer.allocate(29);
        options.put((byte) 0).putShort((short) 21).putShort((short) 6);
        options.put((byte) 1).putShort((short) 27).putShort((short) 1);
        options.put((byte) 2).putShort((short) 28).putShort((short) 1);
        options.put((byte) 3).putShort((short) 29).putShort((short) 0);
        options.put((byte) 0xFF)
                .put(new byte[] {16, 0, 3, (byte) 232, 0, 0})
                .put((byte) 2)
                .put((byte) 0);
        return options.array();
    }

    /** A collation and the acknowledgement. */
    private static byte[] login() {
        byte[] name = "Microsoft SQL Server".getBytes(StandardCharsets.UTF_16LE);
        ByteBuffer answer = ByteBuffer.allocate(128).order(ByteOrder.LITTLE_ENDIAN);
        answer.put((byte) 0xE3).putShort((short) 8).put(new byte[] {7, 5, 9, 4, (byte) 0xD0, 0, 0x34, 0});
        answer.put((byte) 0xAD).putShort((short) (10 + name.length)).put(new byte[] {1, 0x74, 0, 0, 4});
        answer.put((byte) (name.length / 2)).put(name).put(new byte[] {16, 0, 3, (byte) 232});
        answer.put(DONE);
        return java.util.Arrays.copyOf(answer.array(), answer.position());
    }

    /** Return status 0; the handle 1 for a call that prepares. */
    private byte[] call(byte[] request) {
        ByteBuffer content = ByteBuffer.wrap(request).order(ByteOrder.LITTLE_ENDIAN);
        int procedure = content.getShort(content.getInt(0) + 2);
        ByteBuffer answer = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        answer.put((byte) 0x79).putInt(0);
        if (procedure == PREPARE_AND_EXECUTE) {
            answer.put((byte) 0xAC)
                    .putShort((short) 0)
                    .put((byte) 0)
                    .put((byte) 1)
                    .putInt(0)
                    .putShort((short) 0);
            answer.put(new byte[] {0x26, 4, 4}).putInt(1);
        }
        answer.put(DONE_CALL);
        return noted(procedure, request, java.util.Arrays.copyOf(answer.array(), answer.position()));
    }

    private static void send(OutputStream out, byte[] answer) throws IOException {
        ByteBuffer packet = ByteBuffer.allocate(HEAD_BYTES + answer.length);
        packet.put((byte) 4).put((byte) 1).putShort((short) packet.capacity()).putInt(0x100);
        out.write(packet.put(answer).array());
        out.flush();
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
