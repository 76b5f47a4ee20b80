package io.ringtable.broker.amqp;

import io.ringtable.broker.amqp.carried.Redirect;
import io.ringtable.wire.RingtableSymbols;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.engine.Connection;
import org.apache.qpid.protonj2.types.Symbol;

/**
 * Tells clients in the open frame which nodes there are. So one that knew a single URL finds the others when its node
 * is gone. The property and its fields are those that Qpid JMS reads. Thread: any.
 */
final class FailoverServers {
    /** Names the property: a list of maps, one for each node. */
    static final Symbol PROPERTY = Symbol.valueOf("failover-server-list");

    private FailoverServers() {}

    /**
     * Returns the value of the property; empty for a client that may be sent elsewhere. Qpid JMS goes nowhere that it
     * has on a list already. A client that was sent here asks the other nodes again for its way.
     *
     * @param urls of nodes, each with scheme, host and port
     */
    static List<Map<Symbol, Object>> of(List<String> urls, Connection client) {
        if (Redirect.isAsked(client)) {
            return List.of();
        }
        String hostname = Redirect.wasSent(client) ? RingtableSymbols.REDIRECT.toString() : null;
        return urls.stream()
                .map(URI::create)
                .map(url -> Redirect.place(url, hostname))
                .toList();
    }
}
