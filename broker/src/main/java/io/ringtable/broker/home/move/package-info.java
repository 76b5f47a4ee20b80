/**
 * Moves queues from one shard of this node to another, step by step, as the directory says (ADR 66).
 * <p>
 * Thread: {@code address-mover} looks how far moves are; any asks. Must not know: links, who reads a queue, JDBC.
 */
package io.ringtable.broker.home.move;
