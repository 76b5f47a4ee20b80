package io.ringtable.broker.store;

/**
 * Holds how far the copies have come for a subscription that began at a time in the past.
 *
 * @param position first sequence that has not been copied
 * @param finished everything has been copied: the subscription owes what is published from then on
 */
public record ReplayRow(long subscriptionId, long position, boolean finished) {}
