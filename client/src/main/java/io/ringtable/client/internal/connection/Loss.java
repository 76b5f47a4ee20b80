package io.ringtable.client.internal.connection;

import io.ringtable.client.RingtableException;
import io.ringtable.client.internal.error.Errors;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Says why a connection, or an attempt at one, is over.
 *
 * @param to where the broker sends the client; null unless it does
 * @param hostname for the open frame there; null unless the broker says one
 */
record Loss(Kind kind, RingtableException cause, Endpoint to, String hostname) {
    private static final Symbol HOSTNAME = Symbol.valueOf("hostname");
    private static final Symbol HOST = Symbol.valueOf("network-host");
    private static final Symbol PORT = Symbol.valueOf("port");
    private static final Symbol SCHEME = Symbol.valueOf("scheme");

    enum Kind {
        /** Says that the broker refuses the login, or the connection, for good. */
        REFUSED,
        /** Says that the broker sends the client to another node. */
        REDIRECTED,
        /**
         * Says that TLS could not be agreed on: hopeless at the start, passing while certificates are being renewed.
         */
        TLS,
        /** Blames the network, or the broker's stop or silence: worth another attempt. */
        PASSING
    }

    Loss(Kind kind, RingtableException cause) {
        this(kind, cause, null, null);
    }

    /**
     * Reads where the broker sends the client (AMQP 1.0 section 2.8.16). A client that has connected by TLS goes
     * nowhere without it.
     *
     * @param from the node that says so
     * @return null if the condition is another one, or names no such place
     */
    static Loss redirected(Endpoint from, ErrorCondition condition) {
        if (condition == null || !ConnectionError.REDIRECT.equals(condition.getCondition())) {
            return null;
        }
        Map<?, ?> info = condition.getInfo() == null ? Map.of() : condition.getInfo();
        Object scheme = info.get(SCHEME) == null ? from.tls() ? "amqps" : "amqp" : info.get(SCHEME);
        boolean tls = "amqps".equals(scheme);
        if (!(info.get(HOST) instanceof String host)
                || !(info.get(PORT) instanceof Number port)
                || !tls && (from.tls() || !"amqp".equals(scheme))) {
            return null;
        }
        Endpoint to = new Endpoint(host, port.intValue(), tls, null);
        String hostname = info.get(HOSTNAME) instanceof String said ? said : to.host();
        return new Loss(Kind.REDIRECTED, Errors.redirected(from.toString(), to.toString()), to, hostname);
    }
}
