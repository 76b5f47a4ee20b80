package io.ringtable.broker.dispatch;

import io.ringtable.broker.catalog.Subscription;

/**
 * A subscription that is not served beyond a damaged message; everything else goes on.
 *
 * @param sequence of the damaged message
 * @param reason for the operator
 */
public record ParkedSubscription(Subscription subscription, long sequence, String reason) {}
