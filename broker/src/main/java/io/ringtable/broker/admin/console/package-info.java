/**
 * Shows operators the broker in a browser, and lets them act. The pages ask the same operations as every other way in,
 * and show what they answer; health, rates and the ring are those of {@code /status}.
 * <p>
 * Thread: HTTP's, which waits for what an operation answers later. Must not know: shards, stores, AMQP frames.
 */
package io.ringtable.broker.admin.console;
