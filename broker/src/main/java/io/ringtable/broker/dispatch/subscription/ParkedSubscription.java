package io.ringtable.broker.dispatch.subscription;

import io.ringtable.broker.catalog.Subscription;

/**
 * A subscription that is not served beyond a damaged message, or not at all as its selector cannot be evaluated;
 * everything else goes on.
 *
 * @param sequence of the damaged message; {@link #NO_MESSAGE} if the selector is to blame
 * @param reason for the operator
 */
public record ParkedSubscription(Subscription subscription, long sequence, String reason) {
    public static final long NO_MESSAGE = -1;

    boolean isForItsSelector() {
        return sequence == NO_MESSAGE;
    }
}
