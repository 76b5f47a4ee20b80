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
 * Accepts connections whose bytes leave only while the leases of their shards run. The last look at the clock is the
 * last step before the system call. This includes bytes that Netty kept while the client did not read. A look that
 * comes too late discards the bytes with the connection, and the client connects again, to the shard's owner.
 * <p>
 * One system call for each connection remains: a process that freezes between the look and the call writes after it
 * resumes. One call writes at most the free space of the socket's send buffer. Netty's native channels are final, so
 * this one is of NIO.
 * <p>
 * Thread: event loops.
 */
public final class LeasedServerChannel extends NioServerSocketChannel {
    /** Limits the system calls for each look at the clock. */
    public static final int WRITES_PER_LOOK = 1;

    private final Lease lease;

    /** @param lease of the node */
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
        private final ConnectionLease lease;

        LeasedChannel(LeasedServerChannel parent, SocketChannel socket, Lease ofNode) {
            super(parent, socket);
            this.lease = ConnectionLease.begin(this, ofNode);
        }

        /** Writes while the leases run. A failure here closes the channel, whatever waits in it. */
        @Override
        protected void doWrite(ChannelOutboundBuffer waiting) throws Exception {
            if (lease.isOver()) {
                throw new IOException("RT-4041 the lease of the shard is over: the broker sends nothing more");
            }
            super.doWrite(waiting);
        }
    }
}
