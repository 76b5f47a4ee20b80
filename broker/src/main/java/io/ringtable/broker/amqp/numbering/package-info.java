/**
 * Numbers the transfers that this node passes on to the owner of a shard, and keeps their bytes until their outcome. So
 * what has no outcome when the owner is lost is sent again to the next one, and stored once (ADR 84).
 * <p>
 * Thread: the event loop of the client's connection. Must not know: links, relays, what a message says.
 */
package io.ringtable.broker.amqp.numbering;
