/**
 * Moves queues and topics from one shard of this node to another, step by step, as the directory says
 * (ADR 66, ADR 85).
 * <p>
 * Thread: {@code address-mover} looks how far moves are; any asks. Must not know: links, who reads an address, JDBC.
 */
package io.ringtable.broker.home.move;
