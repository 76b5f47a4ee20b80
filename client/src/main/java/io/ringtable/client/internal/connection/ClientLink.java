package io.ringtable.client.internal.connection;

import io.ringtable.client.RingtableException;

/** Serves a publisher or subscription on the I/O thread, and outlives connections. */
public interface ClientLink {

    /** Attaches to a connection that is open. */
    void attach(AmqpConnection connection);

    /** Forgets what belonged to the lost connection, and waits for the next one. */
    void connectionLost();

    /** Hears that the socket takes bytes again. */
    void writable();

    /** Ends with this cause, as no other connection will come. */
    void fail(RingtableException cause);

    /** Ends, as nobody waits any longer until it is open. */
    default void abandon(RingtableException cause) {
        fail(cause);
    }
}
