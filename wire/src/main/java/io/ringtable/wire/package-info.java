/**
 * Writes and reads AMQP 1.0 for both ends of a connection. The package has the walker over encoded messages, and the
 * names, formats and tags that broker and client agree on. Every reader here is bounded: it refuses bytes that nest too
 * deeply or lie about their counts, before anything is decoded.
 * <p>
 * Thread: as each class says. Must not know: connections, Netty, Spring, the broker, the client.
 */
package io.ringtable.wire;
