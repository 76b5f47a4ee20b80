package io.ringtable.acceptance.harness;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;
import org.apache.qpid.protonj2.types.security.SaslCode;
import org.apache.qpid.protonj2.types.security.SaslInit;
import org.apache.qpid.protonj2.types.security.SaslMechanisms;
import org.apache.qpid.protonj2.types.security.SaslOutcome;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.Open;
import org.apache.qpid.protonj2.types.transport.ReceiverSettleMode;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;
import org.apache.qpid.protonj2.types.transport.Transfer;

/**
 * Is a client that does exactly what it is told, and may misbehave. It writes what no client library would write, and
 * reads only when it is asked to. One session, on channel 0. Thread: one at a time.
 */
public final class RawAmqp implements AutoCloseable {
    private static final byte[] EMPTY_FRAME = {0, 0, 0, 8, 2, 0, 0, 0};
    private static final int READ_MS = 60_000;

    private final AmqpFrames frames = new AmqpFrames();
    private final Socket socket = new Socket();
    private final ByteBuffer inbound = ByteBuffer.allocate(8 << 20).limit(0);
    private boolean ended;

    private RawAmqp(int port, int receiveBufferBytes) throws IOException {
        if (receiveBufferBytes > 0) {
            socket.setReceiveBufferSize(receiveBufferBytes);
        }
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 5_000);
    }

    /** Connected, and nothing sent yet. */
    public static RawAmqp socket(int port) {
        return socket(port, 0);
    }

    public static RawAmqp socket(int port, int receiveBufferBytes) {
        try {
            return new RawAmqp(port, receiveBufferBytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Logs in as nobody, opens a connection and begins a session. */
    public RawAmqp open(String containerId) {
        return open(containerId, Performatives.anonymous());
    }

    /** Logs in with a name and a password, opens a connection and begins a session. */
    public RawAmqp open(String containerId, String user, String password) {
        return open(containerId, Performatives.plain(user, password));
    }

    private RawAmqp open(String containerId, SaslInit login) {
        write(Performatives.SASL);
        expect(SaslMechanisms.class);
        write(frames.encode(AmqpFrames.TYPE_SASL, 0, login, Performatives.NO_PAYLOAD));
        SaslCode code = expect(SaslOutcome.class).getCode();
        if (code != SaslCode.OK) {
            throw new IllegalStateException("the broker refuses the login: " + code);
        }
        write(Performatives.AMQP);
        send(Performatives.open(containerId));
        expect(Open.class);
        send(Performatives.begin());
        expect(Begin.class);
        return this;
    }

    /** A sender on the queue. @return the broker's first credit */
    public Flow attachSender(int handle, String queue) {
        return attachSender(handle, Performatives.target(queue, "queue"));
    }

    public Flow attachSender(int handle, Target target) {
        send(Performatives.sender(handle, "sender-" + handle, target)
                .setSenderSettleMode(SenderSettleMode.UNSETTLED)
                .setReceiverSettleMode(ReceiverSettleMode.FIRST));
        expect(Attach.class);
        return expect(Flow.class);
    }

    /** A receiver on the queue with that much credit. */
    public void attachReceiver(int handle, String queue, long credit) {
        attachReceiver(handle, "receiver-" + handle, Performatives.source(queue, "queue"));
        grant(handle, 0, credit);
    }

    /** The durable subscription of this container id to the topic, made if it is not there, with that much credit. */
    public void attachDurable(int handle, String subscription, String topic, long credit) {
        Source source = Performatives.source(topic, "topic");
        source.setDurable(TerminusDurability.UNSETTLED_STATE);
        source.setExpiryPolicy(TerminusExpiryPolicy.NEVER);
        attachReceiver(handle, subscription, source);
        grant(handle, 0, credit);
    }

    private void attachReceiver(int handle, String name, Source source) {
        send(Performatives.receiver(handle, name, source)
                .setSenderSettleMode(SenderSettleMode.UNSETTLED)
                .setReceiverSettleMode(ReceiverSettleMode.FIRST));
        expect(Attach.class);
    }

    /**
     * Sets a receiver's credit, without waiting for anything.
     *
     * @param received how many messages have come on this link
     */
    public void grant(int handle, long received, long credit) {
        send(Performatives.credit(handle, received, credit));
    }

    /** One unsettled message. */
    public void transfer(int handle, long deliveryId, String body) {
        transfer(handle, deliveryId, frames.section(new Data(body.getBytes(StandardCharsets.UTF_8))));
    }

    /** The same of bytes that are sections already, in as many frames as they take. */
    public void transfer(int handle, long deliveryId, byte[] message) {
        int from = 0;
        do {
            int to = Math.min(message.length, from + Performatives.PAYLOAD_MAX);
            Transfer transfer = Performatives.transfer(handle, deliveryId, to < message.length);
            write(frames.encode(AmqpFrames.TYPE_AMQP, 0, transfer, Arrays.copyOfRange(message, from, to)));
            from = to;
        } while (from < message.length);
    }

    /** A message as it came, its frames put together. */
    public record Received(long deliveryId, byte[] message) {}

    /** The next message, unsettled; other frames before it are passed over. */
    public Received receive() {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        long deliveryId = -1;
        while (true) {
            AmqpFrames.Frame frame = read(Duration.ofMillis(READ_MS));
            if (frame == null) {
                throw new IllegalStateException("the broker closed the socket or was silent while it owed a message");
            }
            if (frame.performative() instanceof Transfer transfer) {
                if (transfer.hasDeliveryId()) {
                    deliveryId = transfer.getDeliveryId();
                }
                message.writeBytes(frame.payload());
                if (!transfer.getMore()) {
                    return new Received(deliveryId, message.toByteArray());
                }
            }
        }
    }

    public void accept(Received received) {
        send(Performatives.accepted(received.deliveryId()));
    }

    public void send(Object performative) {
        write(frames.encode(AmqpFrames.TYPE_AMQP, 0, performative, Performatives.NO_PAYLOAD));
    }

    /** An empty frame: this client lives (AMQP 1.0 section 2.4.5). */
    public void keepAlive() {
        write(EMPTY_FRAME);
    }

    public void write(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The next performative of this class; others before it are passed over. */
    public <T> T expect(Class<T> performative) {
        while (true) {
            AmqpFrames.Frame frame = read(Duration.ofMillis(READ_MS));
            if (frame == null) {
                throw new IllegalStateException(
                        "the broker closed the socket or was silent while it owed a " + performative.getSimpleName());
            }
            if (performative.isInstance(frame.performative())) {
                return performative.cast(frame.performative());
            }
        }
    }

    /** The next frame; null at the end of the stream and after the time-out. */
    public AmqpFrames.Frame read(Duration timeout) {
        try {
            InputStream in = socket.getInputStream();
            long until = System.nanoTime() + timeout.toNanos();
            while (true) {
                AmqpFrames.Frame frame = frames.next(inbound);
                if (frame != null) {
                    return frame;
                }
                long left = (until - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    return null;
                }
                socket.setSoTimeout((int) left);
                inbound.compact();
                int count = in.read(inbound.array(), inbound.position(), inbound.remaining());
                inbound.position(inbound.position() + Math.max(0, count)).flip();
                if (count < 0) {
                    ended = true;
                    return null;
                }
            }
        } catch (SocketTimeoutException silent) {
            inbound.flip();
            return null;
        } catch (IOException reset) {
            ended = true;
            return null;
        }
    }

    /** Whether the last {@link #read} found the end of the stream. */
    public boolean isEnded() {
        return ended;
    }

    /** Whether the broker ends the connection within the time, whatever it says before. */
    public boolean isEndedWithin(Duration timeout) {
        try {
            socket.setSoTimeout((int) timeout.toMillis());
            byte[] ignored = new byte[4_096];
            InputStream in = socket.getInputStream();
            while (in.read(ignored) >= 0) {
                continue;
            }
            return true;
        } catch (SocketTimeoutException open) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }

    public int localPort() {
        return socket.getLocalPort();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
