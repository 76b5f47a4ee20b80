/**
 * Gives the messages of a topic to its volatile subscriptions, a bounded part in each turn, and holds its publishers
 * while one of them has no room.
 * <p>
 * Thread: {@code dispatcher}. Must not know: the store, consumers, redelivery.
 */
package io.ringtable.broker.dispatch.fanout;
