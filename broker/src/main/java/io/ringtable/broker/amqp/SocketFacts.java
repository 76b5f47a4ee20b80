package io.ringtable.broker.amqp;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import io.ringtable.broker.amqp.login.PeerSocket;
import java.net.InetSocketAddress;
import java.time.Instant;

/**
 * Says what is known of a connection since its socket was accepted.
 * <p>
 * Thread: its event loop makes it; any reads it.
 */
final class SocketFacts {
    private final Channel channel;
    private final long number;
    private final String loop = Thread.currentThread().getName();
    private final String origin;
    private final Instant since = Instant.now();

    /** @param number unique since the broker was made; later connections have higher numbers */
    SocketFacts(Channel channel, long number) {
        this.channel = channel;
        this.number = number;
        this.origin = new PeerSocket(channel).origin();
    }

    long number() {
        return number;
    }

    /** Returns the id of the connection, which log lines have too. */
    String id() {
        return "c" + number;
    }

    /** Returns the name of the thread that serves the connection. */
    String loop() {
        return loop;
    }

    /** Returns what sockets without a login count against, as failures of a login do. */
    String origin() {
        return origin;
    }

    /** Returns when the broker accepted the socket. */
    Instant since() {
        return since;
    }

    /** Returns the address of the client's host; {@code ?} if the socket has none. */
    String host() {
        return channel.remoteAddress() instanceof InetSocketAddress remote
                ? remote.getAddress().getHostAddress()
                : "?";
    }

    /** Returns address and port of the client. */
    String remote() {
        return channel.remoteAddress() instanceof InetSocketAddress remote ? host() + ":" + remote.getPort() : "?";
    }

    /** Returns the version of TLS; null without it. */
    String tls() {
        SslHandler handler = channel.pipeline().get(SslHandler.class);
        return handler == null ? null : handler.engine().getSession().getProtocol();
    }

    @Override
    public String toString() {
        return "connection " + id() + " from " + channel.remoteAddress();
    }
}
