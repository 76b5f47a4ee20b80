package io.ringtable.broker.amqp.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferComponent;
import org.apache.qpid.protonj2.buffer.ProtonBufferComponentAccessor;

/**
 * Moves the bytes of a relay: what arrives goes to the relay, and its frames gather until they leave together.
 * <p>
 * Thread: the relay's event loop. Failure: any failure closes the socket, and the relay hears why.
 */
final class RelaySocket extends ChannelInboundHandlerAdapter {
    private static final int OUTPUT_BYTES = 64 * 1024;

    private final Relay relay;
    private Channel channel; // null before the socket is open
    private ByteBuf output;

    RelaySocket(Relay relay) {
        this.relay = relay;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        channel = context.channel();
        relay.connected();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf input = (ByteBuf) message;
        try {
            byte[] bytes = new byte[input.readableBytes()];
            input.readBytes(bytes);
            relay.ingest(bytes);
        } finally {
            input.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        relay.flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (channel != null && channel.isWritable()) {
            relay.onWritable();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (output != null) {
            output.release();
            output = null;
        }
        relay.lost("the connection was closed");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        relay.lost(String.valueOf(cause.getMessage() == null ? cause : cause.getMessage()));
    }

    boolean isWritable() {
        return channel != null && channel.isWritable();
    }

    /** Takes one frame from protonj2; it leaves with the next {@link #flush}. */
    void write(ProtonBuffer frame, Runnable written) {
        if (channel == null || !channel.isActive()) {
            return;
        }
        int size = frame.getReadableBytes();
        if (output != null && output.writableBytes() < size) {
            channel.write(output, channel.voidPromise());
            output = null;
        }
        if (output == null) {
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

    void flush() {
        if (output != null) {
            ByteBuf whole = output;
            output = null;
            channel.writeAndFlush(whole, channel.voidPromise());
        }
    }

    /** Closes as soon as all written bytes have left. */
    void close() {
        if (channel != null) {
            flush();
            channel.writeAndFlush(channel.alloc().buffer(0)).addListener(ChannelFutureListener.CLOSE);
        }
    }
}
