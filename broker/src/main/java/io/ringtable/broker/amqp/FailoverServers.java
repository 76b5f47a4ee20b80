package io.ringtable.broker.amqp;

import java.net.URI;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;

/**
 * Tells clients in the open frame which nodes there are. So one that knew a single URL finds the others when its node
 * is gone. The property and its fields are those that Qpid JMS reads. Thread: any.
 */
final class FailoverServers {
    /** Names the property: a list of maps, one for each node. */
    static final Symbol PROPERTY = Symbol.valueOf("failover-server-list");

    private static final Symbol HOST = Symbol.valueOf("network-host");
    private static final Symbol PORT = Symbol.valueOf("port");
    private static final Symbol SCHEME = Symbol.valueOf("scheme");

    private FailoverServers() {}

    /** Returns the value of the property. @param urls of nodes, each with scheme, host and port */
    static List<Map<Symbol, Object>> of(List<String> urls) {
        return urls.stream().map(URI::create).map(FailoverServers::of).toList();
    }

    private static Map<Symbol, Object> of(URI url) {
        return Map.of(HOST, url.getHost(), PORT, url.getPort(), SCHEME, url.getScheme());
    }
}
