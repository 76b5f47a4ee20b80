package io.ringtable.client;

/**
 * Hears of a client's connection. The client calls all methods on its I/O thread, so they must not block. It logs and
 * otherwise ignores exceptions that they throw.
 */
public interface ClientListener {

    /** Does nothing. */
    ClientListener NONE = new ClientListener() {};

    /** Hears that a connection is open, the first or another one; subscriptions and publishers follow at once. */
    default void connected(String uri) {}

    /** Hears that the connection is lost; the client tries to come back. */
    default void disconnected(String uri, RingtableException cause) {}

    /**
     * Hears of acknowledgements or other settlements that did not reach the broker, because the connection on which
     * their messages came is lost. Those messages come again, flagged as redelivered.
     */
    default void settlementsLost(Address address, int count) {}

    /** Hears that the client has given up or cannot go on; everything outstanding has failed with this cause. */
    default void failed(RingtableException cause) {}
}
