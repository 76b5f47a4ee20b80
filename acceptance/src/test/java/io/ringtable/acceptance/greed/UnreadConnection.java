package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.AmqpFrames;
import io.ringtable.acceptance.harness.Performatives;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;

/** A connection with one session that nobody reads from until it is asked for. Thread: one at a time. */
final class UnreadConnection implements AutoCloseable {
    private final AmqpFrames frames = new AmqpFrames();
    private final Socket socket;

    UnreadConnection(Victim victim, String container) throws IOException {
        socket = new Socket("127.0.0.1", victim.port());
        socket.getOutputStream().write(Performatives.AMQP);
        send(Performatives.open(container));
        send(Performatives.begin());
    }

    void send(Object performative) throws IOException {
        socket.getOutputStream().write(frames.encode(AmqpFrames.TYPE_AMQP, 0, performative, Performatives.NO_PAYLOAD));
    }

    /** Reads until that time has passed. @return how many bytes came */
    long read(int millis) throws IOException {
        InputStream input = socket.getInputStream();
        byte[] bytes = new byte[1 << 16];
        long count = 0;
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            for (int left = millis; left > 0; left = (int) TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime())) {
                socket.setSoTimeout(left);
                int read = input.read(bytes);
                if (read < 0) {
                    break;
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
