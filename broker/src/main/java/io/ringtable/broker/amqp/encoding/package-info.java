/**
 * Reads the few facts of an encoded message that the broker acts on, and writes delivery counts, dead letters and the
 * messages of the inbox. The walker over the bytes stands in {@code io.ringtable.wire}.
 * <p>
 * Thread: one at a time, as each class says. Must not know: connections, Netty, the engine of protonj2.
 */
package io.ringtable.broker.amqp.encoding;
