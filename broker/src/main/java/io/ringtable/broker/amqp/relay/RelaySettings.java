package io.ringtable.broker.amqp.relay;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslContext;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.PeerLog;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.login.NodeLogin;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Says how this node opens relays.
 *
 * @param amqp bounds of frames and of time, as for clients
 * @param node id of this node
 * @param login as which this node logs in at others
 * @param openToAll whether this node asks nobody for a login
 * @param socket makes sockets that the event loops can serve
 * @param tls gives what a relay to {@code amqps} uses now
 */
public record RelaySettings(
        AmqpProperties amqp,
        String node,
        NodeLogin login,
        BooleanSupplier openToAll,
        Class<? extends Channel> socket,
        Supplier<SslContext> tls,
        AmqpCounters counters,
        PeerLog log) {}
