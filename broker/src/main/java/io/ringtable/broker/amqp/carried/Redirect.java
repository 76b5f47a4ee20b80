package io.ringtable.broker.amqp.carried;

import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.message.Printable;
import io.ringtable.wire.RingtableSymbols;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.protonj2.engine.Connection;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Sends a client to the node that has the first address it names, if its open frame asks for that (ADR 83). The
 * connection is closed with {@code amqp:connection:redirect} (AMQP 1.0 section 2.8.16). A client that was sent says so
 * by its hostname, and is not sent again. {@link RedirectedClients} know those who come back without that.
 * <p>
 * Thread: the connection's event loop.
 */
public final class Redirect {
    private static final Symbol HOSTNAME = Symbol.valueOf("hostname");
    private static final Symbol HOST = Symbol.valueOf("network-host");
    private static final Symbol PORT = Symbol.valueOf("port");
    private static final Symbol SCHEME = Symbol.valueOf("scheme");

    private final RedirectedClients sent;
    private final String container; // of the client
    private final String scheme; // of its connection
    private boolean isDue; // until the client has named its first address

    /** @param client has opened its connection @param tls whether that is secure @param sent by this node */
    public Redirect(Connection client, boolean tls, RedirectedClients sent) {
        this.sent = sent;
        this.container = client.getRemoteContainerId();
        this.scheme = tls ? "amqps" : "amqp";
        this.isDue = isAsked(client);
    }

    /** Tells whether a client asks, by its hostname or by a property. */
    public static boolean isAsked(Connection client) {
        Map<Symbol, Object> properties = client.getRemoteProperties();
        boolean byHostname = RingtableSymbols.REDIRECT.toString().equals(client.getRemoteHostname());
        boolean byProperty = properties != null && Boolean.TRUE.equals(properties.get(RingtableSymbols.REDIRECT));
        return byHostname || byProperty && !wasSent(client);
    }

    /** Tells whether a node has sent the client here. */
    public static boolean wasSent(Connection client) {
        return RingtableSymbols.REDIRECTED.equals(client.getRemoteHostname());
    }

    /** Tells whether the client asks, and has named no address yet. */
    public boolean isDue() {
        return isDue;
    }

    /** Hears that the client has something here, or has named an address: it stays. */
    public void stays() {
        isDue = false;
    }

    /**
     * Returns the condition that sends the client to the node of its first address; null if the client stays.
     *
     * @param address its name
     * @param url of the node that has the address; null if none other is seen, or its URL is not known
     */
    public ErrorCondition to(String address, String url) {
        boolean goes = isDue && url != null && url.startsWith(scheme + "://") && sent.send(container);
        isDue = false;
        if (!goes) {
            return null;
        }
        Map<Symbol, Object> info = new HashMap<>(place(URI.create(url), RingtableSymbols.REDIRECTED));
        return Conditions.of(
                ConnectionError.REDIRECT,
                "RT-4663 '" + Printable.value(address) + "' is at " + url + ": connect there, with the hostname '"
                        + RingtableSymbols.REDIRECTED + "'",
                info);
    }

    /**
     * Says where clients reach a node, in the fields that Qpid JMS reads.
     *
     * @param url with scheme, host and port
     * @param hostname for the open frame of a client that connects there; null = as the client likes
     */
    public static Map<Symbol, Object> place(URI url, String hostname) {
        Map<Symbol, Object> place = new HashMap<>();
        place.put(HOST, url.getHost());
        place.put(PORT, url.getPort());
        place.put(SCHEME, url.getScheme());
        if (hostname != null) {
            place.put(HOSTNAME, hostname);
        }
        return place;
    }
}
