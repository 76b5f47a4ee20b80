package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.AmqpFrames;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.Open;

/** A connection with one session that nobody reads from until it is asked for. Thread: one at a time. */
final class UnreadConnection implements AutoCloseable {
    private static final byte[] AMQP = {'A', 'M', 'Q', 'P', 0, 1, 0, 0};
    private static final byte[] NOTHING = {};

    private final AmqpFrames frames = new AmqpFrames();
    private final Socket socket;

    UnreadConnection(Victim victim, String container) throws IOException {
        socket = new Socket("127.0.0.1", victim.port());
        socket.getOutputStream().write(AMQP);
        send(new Open().setContainerId(container).setMaxFrameSize(65_536));
        send(new Begin()
                .setNextOutgoingId(0)
                .setIncomingWindow(GreedyConnection.WINDOW)
                .setOutgoingWindow(GreedyConnection.WINDOW));
    }

    void send(Object performative) throws IOException {
        socket.getOutputStream().write(frames.encode(AmqpFrames.TYPE_AMQP, 0, performative, NOTHING));
    }

    /** Reads for so long. @return how many bytes came */
    long read(int millis) throws IOException {
        socket.setSoTimeout(millis);
        InputStream input = socket.getInputStream();
        byte[] bytes = new byte[1 << 16];
        long count = 0;
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            while (System.nanoTime() < until) {
                int read = input.read(bytes);
                if (read < 0) {
                    return count;
                }
                count += read;
            }
        } catch (SocketTimeoutException silence) {
            return count;
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
