package io.ringtable.broker.amqp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Watches for a client that does not read what the broker has written, and closes its channel.
 * <p>
 * Thread: the channel's event loop.
 */
final class OutboundWatch {
    /**
     * Bounds the bytes written to a client and not yet taken by it, before deliveries to it pause. The bound is more
     * than a fast network takes between two turns of an event loop. The memory of all connections is a multiple of it.
     */
    static final int BYTES_MAX = 1024 * 1024;
    /** Multiplies that bound: when more than that waits, the broker closes the client immediately. */
    private static final int FACTOR_MAX = 64;

    private final AmqpServer server;
    private final AmqpTransport transport;
    private final Channel channel;
    private Future<?> stall; // null while the client reads

    /** @param transport stands for the connection in log lines */
    OutboundWatch(AmqpServer server, AmqpTransport transport, Channel channel) {
        this.server = server;
        this.transport = transport;
        this.channel = channel;
    }

    /** Looks at what waits after bytes were passed to the socket. */
    void flushed() {
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
        long bound = (long) BYTES_MAX * FACTOR_MAX
                + server.settings().maxMessageSize().toBytes(); // written whole
        if (waiting != null && waiting.totalPendingWriteBytes() > bound) {
            server.counters().stalledConnections.increment();
            server.peerLog()
                    .warn(
                            "RT-4033 {} closed: its client has left {} bytes unread",
                            transport,
                            waiting.totalPendingWriteBytes());
            channel.close();
        }
    }

    private void stalled() {
        server.counters().stalledConnections.increment();
        server.peerLog()
                .warn(
                        "RT-4033 {} closed: its client has read too little for {} ms while bytes wait",
                        transport,
                        server.settings().outboundStallTimeout().toMillis());
        channel.close();
    }

    /** Ends the watch: the client has read, or is gone. */
    void end() {
        if (stall != null) {
            stall.cancel(false);
            stall = null;
        }
    }
}
