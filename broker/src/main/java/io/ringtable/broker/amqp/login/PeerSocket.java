package io.ringtable.broker.amqp.login;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import io.ringtable.broker.login.LoginOrigin;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLPeerUnverifiedException;

/** Tells what the socket says of a client: where it is, and what TLS knows. Thread: the connection's event loop. */
public record PeerSocket(Channel channel) {
    /** Returns what failures count against: an IPv4 address, or the network of an IPv6 one. */
    public String origin() {
        SocketAddress peer = channel.remoteAddress();
        if (!(peer instanceof InetSocketAddress remote) || remote.getAddress() == null) {
            return String.valueOf(peer);
        }
        return LoginOrigin.of(remote.getAddress());
    }

    /** Tells whether nobody between the client and the broker can read: TLS, or one machine. */
    boolean isPrivate() {
        return tls() != null
                || channel.remoteAddress() instanceof InetSocketAddress remote
                        && remote.getAddress() != null
                        && remote.getAddress().isLoopbackAddress();
    }

    /** Returns the certificate by which the client has proved itself in TLS; null if it has shown none. */
    X509Certificate certificate() {
        SslHandler tls = tls();
        if (tls == null) {
            return null;
        }
        try {
            return tls.engine().getSession().getPeerCertificates()[0] instanceof X509Certificate certificate
                    ? certificate
                    : null;
        } catch (SSLPeerUnverifiedException e) {
            return null;
        }
    }

    private SslHandler tls() {
        return channel.pipeline().get(SslHandler.class);
    }
}
