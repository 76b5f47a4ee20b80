/**
 * Passes links of clients on to the nodes that own the homes of their addresses, on relays (ADR 65, "The front").
 * <p>
 * Thread: the event loop of a client's connection, which its relays are on as well. Must not know: shards, catalogues,
 * what a message says. Nothing of a message is stored or changed.
 */
package io.ringtable.broker.amqp.relay;
