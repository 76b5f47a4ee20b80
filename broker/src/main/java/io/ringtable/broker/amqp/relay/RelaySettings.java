package io.ringtable.broker.amqp.relay;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslContext;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.PeerLog;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.login.NodeLogin;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Says how this node opens relays.
 *
 * @param amqp bounds of frames and of time, as for clients
 * @param lease after which other nodes take the shards of one that has fallen silent
 * @param node id of this node
 * @param login as which this node logs in at others
 * @param openToAll whether this node asks nobody for a login
 * @param socket makes sockets that the event loops can serve
 * @param tls gives what a relay to {@code amqps} uses now
 */
public record RelaySettings(
        AmqpProperties amqp,
        Duration lease,
        String node,
        NodeLogin login,
        BooleanSupplier openToAll,
        Class<? extends Channel> socket,
        Supplier<SslContext> tls,
        AmqpCounters counters,
        PeerLog log) {
    private static final int LEASES = 2;

    /**
     * Returns for how long a relay may be silent, in ms. After two leases the shards of a silent node are elsewhere.
     * Clients that the relay carries must not wait for that node.
     */
    long idleTimeoutMs() {
        long ofClients = amqp.idleTimeout().toMillis();
        long ofNodes = LEASES * lease.toMillis();
        return ofClients == 0 ? ofNodes : Math.min(ofClients, ofNodes);
    }
}
