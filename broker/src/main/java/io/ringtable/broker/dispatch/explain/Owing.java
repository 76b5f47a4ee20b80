package io.ringtable.broker.dispatch.explain;

import io.ringtable.broker.catalog.Subscription;

/**
 * Tells how one subscription that owes a message stands to it.
 *
 * @param failures failed deliveries of the message to this subscription so far
 * @param redelivered whether a consumer has the message and it may have been seen before
 * @param heldBy the consumer that has the message, or whose transaction holds it; empty if none does
 */
public record Owing(Subscription subscription, Why why, int failures, boolean redelivered, String heldBy) {}
