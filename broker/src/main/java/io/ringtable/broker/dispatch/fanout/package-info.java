/**
 * Gives a topic's messages to its volatile subscriptions, a bounded part in each turn. Holds the topic's publishers
 * while one of these subscriptions has no room.
 * <p>
 * Thread: {@code dispatcher}. Must not know: the store, consumers, redelivery.
 */
package io.ringtable.broker.dispatch.fanout;
