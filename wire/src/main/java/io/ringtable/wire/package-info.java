/**
 * AMQP 1.0 as Ringtable's two ends write and read it: the walker over encoded messages, and the names, formats and tags
 * that broker and client agree on. Every reader here is bounded: bytes that nest too deeply or lie about their counts
 * are refused before anything is decoded.
 * <p>
 * Thread: as each class says. Must not know: connections, Netty, Spring, the broker, the client.
 */
package io.ringtable.wire;
