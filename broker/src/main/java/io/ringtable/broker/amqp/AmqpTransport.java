package io.ringtable.broker.amqp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.status.ConnectionStatus;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferComponent;
import org.apache.qpid.protonj2.buffer.ProtonBufferComponentAccessor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the bytes of one connection: reads them into protonj2, gathers frames into large buffers and flushes them
 * together.
 * <p>
 * Thread: the channel's event loop. Failure: any failure closes this channel and no other; one log line says why.
 */
final class AmqpTransport extends ChannelInboundHandlerAdapter implements OpenClient {
    private static final Logger LOG = LoggerFactory.getLogger(AmqpTransport.class);

    private static final int HEADER_BYTES = 8;
    private static final int PROTOCOL_ID = 4;
    private static final int PROTOCOL_AMQP = 0;
    private static final int PROTOCOL_SASL = 3;
    private static final byte[] AMQP_HEADER = {'A', 'M', 'Q', 'P', PROTOCOL_AMQP, 1, 0, 0};
    private static final byte[] SASL_HEADER = {'A', 'M', 'Q', 'P', PROTOCOL_SASL, 1, 0, 0};

    /** Sets the size of the buffers in which frames gather: what a socket usually takes in one call. */
    private static final int OUTPUT_BYTES = 64 * 1024;
    /** Limits the time that the peer may take to close its end after our close frame. */
    private static final int LINGER_MS = 1_000;

    private final AmqpServer server;
    private final byte[] header = new byte[HEADER_BYTES];
    private int headerLength;
    private Channel channel;
    private SocketFacts socket;
    private OutboundWatch outbound;
    private AmqpConnection connection;
    private ByteBuf beginning; // first bytes, while they wait for their turn; null = none wait
    private ByteBuf output;
    private boolean written;
    private long turnBegan; // System.nanoTime; 0 = nothing has been read in this turn
    private boolean closing;
    private boolean opened; // the client's open frame has come
    private Future<?> handshake;

    AmqpTransport(AmqpServer server) {
        this.server = server;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        channel = context.channel();
        socket = new SocketFacts(channel, server.admission().nextNumber());
        outbound = new OutboundWatch(server, this, channel);
        handshake = channel.eventLoop()
                .schedule(
                        this::handshakeOverdue,
                        server.settings().handshakeTimeout().toMillis(),
                        TimeUnit.MILLISECONDS);
        server.accepted(this);
    }

    private void handshakeOverdue() {
        server.peerLog()
                .info(
                        "RT-4031 {} closed: no open frame within {} ms",
                        this,
                        server.settings().handshakeTimeout().toMillis());
        channel.close();
    }

    void handshakeDone() {
        handshake.cancel(false);
        opened = true;
        server.admission().handshakeEnded(this);
    }

    /** Closes the connection before its login, as others of its origin or elsewhere wait. */
    void crowdedOut() {
        if (opened) {
            return; // just in time
        }
        server.counters().handshakesClosed.increment();
        server.peerLog()
                .info(
                        "RT-4371 {} closed before its open frame: more than"
                                + " ringtable.amqp.handshakes-max={} connections are on their way, most of them from"
                                + " {}",
                        this,
                        server.settings().handshakesMax(),
                        socket.host());
        channel.close();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf input = (ByteBuf) message;
        if (turnBegan == 0) {
            turnBegan = System.nanoTime();
        }
        try {
            if (connection != null) {
                connection.ingest(input);
            } else if (!closing) {
                beginInTurn(input);
            }
        } finally {
            input.release();
        }
    }

    /**
     * Begins a connection in its turn, so that many new connections wait for each other, and open ones wait for one at
     * most.
     */
    private void beginInTurn(ByteBuf input) {
        if (beginning != null) {
            beginning.writeBytes(input);
            return;
        }
        beginning = channel.alloc().buffer(input.readableBytes()).writeBytes(input);
        if (!server.turnQueue(channel.eventLoop()).take(this::takeBeginning)) {
            holdInput(true);
        }
    }

    private void takeBeginning() {
        byte[] bytes = ByteBufUtil.getBytes(beginning);
        beginning.release();
        beginning = null;
        if (!channel.isActive()) {
            return;
        }
        holdInput(false);
        try {
            begin(bytes);
            if (connection != null) {
                connection.endOfBatch();
            }
        } catch (RuntimeException | Error failure) {
            exceptionCaught(null, failure);
        }
    }

    /** Reads the first eight bytes, which decide whether there is a SASL layer (AMQP 1.0 section 2.2). */
    private void begin(byte[] bytes) {
        int taken = Math.min(bytes.length, HEADER_BYTES - headerLength);
        System.arraycopy(bytes, 0, header, headerLength, taken);
        headerLength += taken;
        byte[] begun = Arrays.copyOf(header, headerLength);
        boolean sasl = Arrays.equals(begun, Arrays.copyOf(SASL_HEADER, headerLength));
        boolean plain = Arrays.equals(begun, Arrays.copyOf(AMQP_HEADER, headerLength));
        if (!sasl && !plain) {
            server.counters().protocolErrors.increment();
            refuseHeader("the client sent " + printable(begun) + " in place of an AMQP 1.0 header");
            return;
        }
        if (headerLength < HEADER_BYTES) {
            return;
        }
        if (plain && !server.logins().isOpenToAll()) {
            refuseHeader("the client did not log in: SASL is required");
            return;
        }
        connection = new AmqpConnection(server, this, sasl);
        connection.ingest(Unpooled.wrappedBuffer(begun));
        if (taken < bytes.length) {
            connection.ingest(Unpooled.wrappedBuffer(bytes, taken, bytes.length - taken));
        }
    }

    /** Answers with the header that the broker would accept, and closes. */
    private void refuseHeader(String why) {
        server.peerLog().warn("RT-4032 {} closed: {}", this, why);
        closing = true;
        byte[] answer = server.logins().isOpenToAll() ? AMQP_HEADER : SASL_HEADER;
        channel.writeAndFlush(channel.alloc().buffer(HEADER_BYTES).writeBytes(answer))
                .addListener(ChannelFutureListener.CLOSE);
    }

    private static String printable(byte[] bytes) {
        StringBuilder text = new StringBuilder("'");
        for (byte b : bytes) {
            text.append(b >= ' ' && b < 127 ? (char) b : '.');
        }
        return text.append('\'').toString();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (connection != null) {
            connection.endOfBatch();
        }
        if (turnBegan != 0) {
            server.counters().longestTurn.took(System.nanoTime() - turnBegan);
            turnBegan = 0;
        }
    }

    /** Takes one frame from protonj2; it leaves with the next {@link #flush}. */
    void write(ProtonBuffer frame, Runnable written) {
        int size = frame.getReadableBytes();
        if (!channel.isActive()) {
            return; // no flush will follow
        }
        if (output == null) {
            output = channel.alloc().directBuffer(Math.max(OUTPUT_BYTES, size));
        } else if (output.writableBytes() < size) {
            writeOutput();
            output = channel.alloc().directBuffer(Math.max(OUTPUT_BYTES, size));
        }
        try (ProtonBufferComponentAccessor parts = frame.componentAccessor()) {
            for (ProtonBufferComponent part = parts.firstReadable(); part != null; part = parts.nextReadable()) {
                output.writeBytes(part.getReadableArray(), part.getReadableArrayOffset(), part.getReadableBytes());
            }
        }
        if (written != null) {
            written.run();
        }
    }

    private void writeOutput() {
        channel.write(output, channel.voidPromise());
        output = null;
        written = true;
    }

    /** Stops reading while the connection works off earlier input in turns, or reads again. */
    void holdInput(boolean hold) {
        channel.config().setAutoRead(!hold);
    }

    /** Passes the gathered frames to the socket. */
    void flush() {
        if (output != null) {
            writeOutput();
        }
        if (written) {
            written = false;
            channel.flush();
            outbound.flushed();
        }
    }

    /** Tells whether deliveries may be written: the client keeps up with reading. */
    boolean isWritable() {
        return channel.isWritable();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (channel.isWritable()) {
            outbound.end();
            if (connection != null) {
                connection.onWritable();
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        closing = true;
        handshake.cancel(false);
        outbound.end();
        if (output != null) {
            output.release();
            output = null;
        }
        if (connection != null) {
            connection.lost();
        }
        server.admission().closed(this);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof IOException) {
            LOG.debug("{} lost", this, cause); // a client that went away
        } else {
            server.peerLog().warn("RT-4034 {} closed: {}", this, cause);
        }
        channel.close();
    }

    /** Lets the close frame reach the peer, then closes. */
    void closeAfterFlush() {
        flush();
        if (!closing) {
            closing = true;
            channel.eventLoop().schedule(() -> channel.close(), LINGER_MS, TimeUnit.MILLISECONDS);
        }
    }

    /** Closes as soon as all written bytes have left. */
    void closeNow() {
        flush();
        closing = true;
        channel.writeAndFlush(channel.alloc().buffer(0)).addListener(ChannelFutureListener.CLOSE);
    }

    /** Ends the connection before the broker stops. */
    void stop(boolean graceful) {
        if (connection == null) {
            channel.close();
        } else {
            connection.stop(graceful);
        }
    }

    /** Does something with the connection, unless the client's header has not come. */
    void ifBegun(Consumer<AmqpConnection> action) {
        if (connection != null) {
            action.accept(connection);
        }
    }

    Channel channel() {
        return channel;
    }

    // ---- for operators

    SocketFacts socket() {
        return socket;
    }

    @Override
    public long number() {
        return socket.number();
    }

    @Override
    public EventLoop loop() {
        return channel.eventLoop();
    }

    @Override
    public String loopName() {
        return socket.loop();
    }

    @Override
    public ServedClient served() {
        return connection == null ? null : connection.served();
    }

    @Override
    public ConnectionStatus status() {
        return connection == null
                ? ConnectionStatus.beforeLogin(socket.id(), socket.remote(), socket.tls(), socket.since(), isWritable())
                : connection.status();
    }

    @Override
    public void run(Runnable action) {
        if (connection == null) {
            action.run();
        } else {
            connection.mailbox().run(action::run);
        }
    }

    @Override
    public void closeFor(String why) {
        server.peerLog().info("{} closed: {}", this, why);
        if (connection == null) {
            channel.close();
        } else {
            connection.closeFor(why);
        }
    }

    /** Names the connection by its id, with the client's container id as soon as it is known. */
    @Override
    public String toString() {
        String container = connection == null ? "" : connection.containerId();
        return container.isEmpty() ? socket.toString() : socket + " of '" + Printable.value(container) + "'";
    }
}
