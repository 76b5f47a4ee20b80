package io.ringtable.client;

/**
 * Told what happens to a client's connection. All methods are called on the client's I/O thread and must not block;
 * what they throw is logged and otherwise ignored.
 */
public interface ClientListener {

    /** Does nothing. */
    ClientListener NONE = new ClientListener() {};

    /** A connection is open, the first or another one; subscriptions and publishers follow at once. */
    default void connected(String uri) {}

    /** The connection is lost; the client tries to come back. */
    default void disconnected(String uri, RingtableException cause) {}

    /**
     * Acknowledgements or other settlements that could not reach the broker any more because the connection on which
     * their messages came is lost. Those messages come again, flagged as redelivered.
     */
    default void settlementsLost(Address address, int count) {}

    /** The client has given up or cannot go on; everything outstanding has failed with this cause. */
    default void failed(RingtableException cause) {}
}
