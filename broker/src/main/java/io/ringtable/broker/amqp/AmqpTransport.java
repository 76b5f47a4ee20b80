package io.ringtable.broker.amqp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferComponent;
import org.apache.qpid.protonj2.buffer.ProtonBufferComponentAccessor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the bytes of one connection: reads them into protonj2, gathers frames into large buffers and flushes them
 * together. Watches for a client that does not read.
 * <p>
 * Thread: the channel's event loop. Failure: any failure closes this channel and no other; one log line says why.
 */
final class AmqpTransport extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(AmqpTransport.class);

    private static final int HEADER_BYTES = 8;
    private static final int PROTOCOL_ID = 4;
    private static final int PROTOCOL_AMQP = 0;
    private static final int PROTOCOL_SASL = 3;
    private static final byte[] AMQP_HEADER = {'A', 'M', 'Q', 'P', PROTOCOL_AMQP, 1, 0, 0};
    private static final byte[] SASL_HEADER = {'A', 'M', 'Q', 'P', PROTOCOL_SASL, 1, 0, 0};

    /** Sets the size of the buffers in which frames gather: what a socket usually takes in one call. */
    private static final int OUTPUT_BYTES = 64 * 1024;
    /**
     * Bounds the bytes written to a client and not yet taken by it, before deliveries to it pause: more than a fast
     * network takes between two turns of an event loop, and as much memory as every connection may need together.
     */
    static final int OUTBOUND_BYTES_MAX = 1024 * 1024;
    /** Multiplies that bound: when more than that waits, the broker closes the client immediately. */
    private static final int OUTBOUND_FACTOR_MAX = 64;
    /** Limits the time that the peer may take to close its end after our close frame. */
    private static final int LINGER_MS = 1_000;

    private final AmqpServer server;
    private final byte[] header = new byte[HEADER_BYTES];
    private int headerLength;
    private Channel channel;
    private AmqpConnection connection;
    private ByteBuf beginning; // first bytes, while they wait for their turn; null = none wait
    private ByteBuf output;
    private boolean written;
    private long turnBegan; // System.nanoTime; 0 = nothing has been read in this turn
    private boolean closing;
    private Future<?> handshake;
    private Future<?> stall;

    AmqpTransport(AmqpServer server) {
        this.server = server;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        channel = context.channel();
        server.opened(this);
        handshake = channel.eventLoop()
                .schedule(
                        this::handshakeOverdue,
                        server.settings().handshakeTimeout().toMillis(),
                        TimeUnit.MILLISECONDS);
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
            watchOutbound();
        }
    }

    /** Tells whether deliveries may be written: the client keeps up with reading. */
    boolean isWritable() {
        return channel.isWritable();
    }

    private void watchOutbound() {
        if (channel.isWritable()) {
            return;
        }
        if (stall == null) {
            stall = channel.eventLoop()
                    .schedule(
                            this::stalled,
                            server.settings().outboundStallTimeout().toMillis(),
                            TimeUnit.MILLISECONDS);
        }
        ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
        long bound = (long) OUTBOUND_BYTES_MAX * OUTBOUND_FACTOR_MAX
                + server.settings().maxMessageSize().toBytes(); // written whole
        if (waiting != null && waiting.totalPendingWriteBytes() > bound) {
            server.counters().stalledConnections.increment();
            server.peerLog()
                    .warn(
                            "RT-4033 {} closed: its client has left {} bytes unread",
                            this,
                            waiting.totalPendingWriteBytes());
            channel.close();
        }
    }

    private void stalled() {
        server.counters().stalledConnections.increment();
        server.peerLog()
                .warn(
                        "RT-4033 {} closed: its client has read too little for {} ms while bytes wait",
                        this,
                        server.settings().outboundStallTimeout().toMillis());
        channel.close();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (channel.isWritable()) {
            if (stall != null) {
                stall.cancel(false);
                stall = null;
            }
            if (connection != null) {
                connection.onWritable();
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        closing = true;
        handshake.cancel(false);
        if (stall != null) {
            stall.cancel(false);
        }
        if (output != null) {
            output.release();
            output = null;
        }
        if (connection != null) {
            connection.lost();
        }
        server.closed(this);
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

    /** Gives the credit that the watermark held back. */
    void resume() {
        if (connection != null) {
            connection.endOfBatch();
        }
    }

    void usersChanged() {
        if (connection != null) {
            connection.usersChanged();
        }
    }

    void rulesChanged() {
        if (connection != null) {
            connection.rulesChanged();
        }
    }

    Channel channel() {
        return channel;
    }

    /** Returns the connection; null before the client's header. */
    AmqpConnection connection() {
        return connection;
    }

    /** Returns the address of the client's host; {@code ?} if the socket has none. */
    String host() {
        return channel.remoteAddress() instanceof InetSocketAddress address
                ? address.getAddress().getHostAddress()
                : "?";
    }

    @Override
    public String toString() {
        String name = "connection from " + (channel == null ? "?" : channel.remoteAddress());
        return connection == null ? name : name + connection.container();
    }
}
