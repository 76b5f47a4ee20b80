/**
 * A message as AMQP 1.0 encodes it: its sections, the few facts that the broker acts on, batches, dead letters. Everything that is
 * read of a client is bounded here.
 * <p>
 * Thread: one at a time, as each class says. Must not know: connections, Netty, the engine of protonj2.
 */
package io.ringtable.broker.amqp.encoding;
