package io.ringtable.broker.dispatch.subscription;

import io.ringtable.broker.catalog.Subscription;

/**
 * Names a subscription that waits for an operator. The subscription is not served beyond a damaged message, or not at
 * all because its selector cannot be evaluated. Everything else goes on.
 *
 * @param sequence of the damaged message; {@link #NO_MESSAGE} if the selector is to blame
 * @param reason for the operator
 */
public record ParkedSubscription(Subscription subscription, long sequence, String reason) {
    public static final long NO_MESSAGE = -1;

    public boolean isForItsSelector() {
        return sequence == NO_MESSAGE;
    }
}
