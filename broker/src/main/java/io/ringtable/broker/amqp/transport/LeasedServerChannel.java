package io.ringtable.broker.amqp.transport;

import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.internal.SocketUtils;
import io.ringtable.broker.ownership.Lease;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.List;

/**
 * Accepts connections whose bytes leave only while the lease of the shard runs: the last look at the clock is the last thing
 * before the system call, also for what Netty kept as the client did not read. What the look finds too late is thrown away
 * with the connection, and the client connects again, to whoever owns the shard.
 * <p>
 * What remains is one system call for each connection: a process that is frozen between the look and the call writes after
 * it resumes what one call takes, at most the free space of the socket's send buffer. Netty's native channels are final,
 * so this one is of NIO.
 * <p>
 * Thread: event loops.
 */
public final class LeasedServerChannel extends NioServerSocketChannel {
    /** System calls for each look at the clock. */
    public static final int WRITES_PER_LOOK = 1;

    private final Lease lease;

    public LeasedServerChannel(Lease lease) {
        this.lease = lease;
    }

    @Override
    protected int doReadMessages(List<Object> accepted) throws Exception {
        SocketChannel socket = SocketUtils.accept(javaChannel());
        if (socket == null) {
            return 0;
        }
        accepted.add(new LeasedChannel(this, socket, lease));
        return 1;
    }

    private static final class LeasedChannel extends NioSocketChannel {
        private final Lease lease;

        LeasedChannel(LeasedServerChannel parent, SocketChannel socket, Lease lease) {
            super(parent, socket);
            this.lease = lease;
        }

        /** A failure here closes the channel, whatever waits in it. */
        @Override
        protected void doWrite(ChannelOutboundBuffer waiting) throws Exception {
            if (lease.isOver()) {
                throw new IOException("RT-4041 the lease of the shard is over: nothing leaves any more");
            }
            super.doWrite(waiting);
        }
    }
}
