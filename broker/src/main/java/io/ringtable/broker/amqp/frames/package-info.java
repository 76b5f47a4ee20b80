/**
 * Bounds the cost of a client's frames, gives turns, and closes gaps of the engine, with handlers in its pipeline.
 * <p>
 * Thread: the connection's event loop. Must not know: the broker's links, the rest of the broker.
 */
package io.ringtable.broker.amqp.frames;
