package io.ringtable.client.internal;

import io.ringtable.client.RingtableException;

/** A publisher's or subscription's side on the I/O thread: it outlives connections. */
interface ClientLink {

    /** A connection is open: attach there. */
    void attach(AmqpConnection connection);

    /** The connection is lost: forget what belonged to it and be ready for the next one. */
    void connectionLost();

    /** The socket takes bytes again. */
    void writable();

    /** There will be no other connection: end with this cause. */
    void fail(RingtableException cause);
}
