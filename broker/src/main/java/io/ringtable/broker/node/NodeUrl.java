package io.ringtable.broker.node;

import io.ringtable.broker.config.AmqpProperties;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Set;

/** Says where clients reach this node. Thread: any. */
public final class NodeUrl {
    private static final Set<String> EVERY_INTERFACE = Set.of("0.0.0.0", "::", "0:0:0:0:0:0:0:0");

    private NodeUrl() {}

    /**
     * Returns the URL of the configuration. Otherwise it is made of the interface and the port that the broker listens
     * on. A broker that listens on all interfaces has the name of its host.
     *
     * @param boundPort that the broker listens on now; below 0 while it does not listen
     * @return null while no port is known
     */
    public static String of(AmqpProperties amqp, int boundPort) {
        if (amqp.advertisedUrl() != null) {
            return amqp.advertisedUrl();
        }
        int port = boundPort > 0 ? boundPort : amqp.port();
        if (port == 0) {
            return null; // a free one is taken when the broker begins to serve
        }
        String host = EVERY_INTERFACE.contains(amqp.host()) ? hostName() : amqp.host();
        return (amqp.tls().isConfigured() ? "amqps://" : "amqp://") + (host.contains(":") ? "[" + host + "]" : host)
                + ":" + port;
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
