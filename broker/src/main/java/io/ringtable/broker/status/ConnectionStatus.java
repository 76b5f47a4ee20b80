package io.ringtable.broker.status;

import java.time.Instant;
import java.util.List;

/**
 * Shows one connection, as its own event loop saw it. Immutable.
 *
 * @param id such as {@code c17}: unique since the broker started, also in log lines
 * @param open whether the connection has been opened, and not closed; before that the client has no name
 * @param user empty where nobody logs in
 * @param groups of the user, sorted
 * @param container the client's container id, which is the client id of JMS; empty if it has none
 * @param remote address and port of the client; of one that another node carries its host and its way
 * @param tls version of TLS; null without it
 * @param mechanism of SASL, by which the client logged in; null without it
 * @param since when the broker accepted the socket
 * @param links attached now
 * @param heldBytes bytes of messages that the connection holds in every form
 * @param transactions open now
 * @param unsettled deliveries that the client has not settled, and that are in no transaction
 * @param writable whether the client keeps up with reading
 */
public record ConnectionStatus(
        String id,
        boolean open,
        String user,
        List<String> groups,
        String container,
        String remote,
        String tls,
        String mechanism,
        Instant since,
        int sessions,
        int links,
        long heldBytes,
        int transactions,
        long unsettled,
        boolean writable) {
    public ConnectionStatus {
        groups = List.copyOf(groups);
    }

    /** Shows a socket whose client has said nothing yet. */
    public static ConnectionStatus beforeLogin(String id, String remote, String tls, Instant since, boolean writable) {
        return new ConnectionStatus(id, false, "", List.of(), "", remote, tls, null, since, 0, 0, 0, 0, 0, writable);
    }
}
