/**
 * What the broker reads from and writes into an encoded message: the few facts that it acts on, delivery counts, dead
 * letters, the messages of the inbox. The walker over the bytes is that of {@code io.ringtable.wire}.
 * <p>
 * Thread: one at a time, as each class says. Must not know: connections, Netty, the engine of protonj2.
 */
package io.ringtable.broker.amqp.encoding;
