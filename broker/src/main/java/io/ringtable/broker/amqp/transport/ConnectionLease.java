package io.ringtable.broker.amqp.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.util.AttributeKey;
import io.ringtable.broker.ownership.Lease;
import java.util.Arrays;

/**
 * Says whether bytes of one connection may still leave: while the leases of all shards run whose links it carries.
 * Bytes of no shard in particular leave while the lease of the node runs.
 * <p>
 * Thread: the connection's event loop.
 */
public final class ConnectionLease {
    private static final AttributeKey<ConnectionLease> OF_CHANNEL = AttributeKey.valueOf(ConnectionLease.class, "of");

    private final Channel channel;
    private final Lease node;
    private int[] shards = {};
    private Lease[] leases = {}; // of those shards

    private ConnectionLease(Channel channel, Lease node) {
        this.channel = channel;
        this.node = node;
    }

    /** Gives a channel its lease, before anything is written. */
    static ConnectionLease begin(Channel channel, Lease node) {
        ConnectionLease lease = new ConnectionLease(channel, node);
        channel.attr(OF_CHANNEL).set(lease);
        return lease;
    }

    /** Returns that of a channel; one that nobody looks at where leases have no end. */
    public static ConnectionLease of(Channel channel) {
        ConnectionLease known = channel.attr(OF_CHANNEL).get();
        return known == null ? begin(channel, Lease.withoutEnd()) : known;
    }

    /** Tells whether nothing may leave any more. Costs one look at the clock for each shard. */
    boolean isOver() {
        if (leases.length == 0) {
            return node.isOver();
        }
        for (Lease lease : leases) {
            if (lease.isOver()) {
                return true;
            }
        }
        return false;
    }

    /** Hears that the connection carries a link to a shard. */
    public void dependsOn(int shard, Lease lease) {
        int place = placeOf(shard);
        if (place >= 0) {
            leases[place] = lease;
        } else if (lease != node) {
            shards = Arrays.copyOf(shards, shards.length + 1);
            shards[shards.length - 1] = shard;
            leases = Arrays.copyOf(leases, leases.length + 1);
            leases[leases.length - 1] = lease;
        }
    }

    /**
     * Forgets a shard to which the connection has no link any more.
     *
     * @return false if the connection had one, and bytes still wait in the channel: they may be of that shard
     */
    public boolean forget(int shard) {
        int place = placeOf(shard);
        if (place < 0) {
            return true;
        }
        ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
        if (waiting != null && !waiting.isEmpty()) {
            return false;
        }
        int last = shards.length - 1;
        shards[place] = shards[last];
        shards = Arrays.copyOf(shards, last);
        leases[place] = leases[last];
        leases = Arrays.copyOf(leases, last);
        return true;
    }

    private int placeOf(int shard) {
        for (int place = 0; place < shards.length; place++) {
            if (shards[place] == shard) {
                return place;
            }
        }
        return -1;
    }
}
