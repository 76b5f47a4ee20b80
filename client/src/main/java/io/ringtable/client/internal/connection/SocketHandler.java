package io.ringtable.client.internal.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Passes what the socket says on to the connection. Thread: the I/O thread. */
final class SocketHandler extends ChannelInboundHandlerAdapter {

    private final AmqpConnection connection;

    SocketHandler(AmqpConnection connection) {
        this.connection = connection;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf input = (ByteBuf) message;
        try {
            connection.received(input);
        } finally {
            input.release();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        connection.socketWritable();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        connection.socketClosed(null);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        connection.socketClosed(cause);
    }
}
