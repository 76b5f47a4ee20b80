/**
 * Handlers in the pipeline of the protocol engine: they bound what a client's frames may cost, give turns, and mend what the engine
 * leaves open.
 * <p>
 * Thread: the connection's event loop. Must not know: links of ours, the rest of the broker.
 */
package io.ringtable.broker.amqp.frames;
