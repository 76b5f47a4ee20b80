/**
 * Counts the bytes that the dispatcher keeps in memory: of messages that wait, and of those that consumers hold
 * unsettled.
 * <p>
 * Thread: {@code dispatcher} takes; consumers give back on their own threads. Must not know: subscriptions, the rest of
 * the dispatcher.
 */
package io.ringtable.broker.dispatch.memory;
