package io.ringtable.broker.dispatch.consumer;

/**
 * Tells where a dead letter, or an expired message, came from and why.
 *
 * @param address name of the address that could not deliver it
 * @param clientId client id of the subscription that gave up, empty if the subscription has none. Null if an earlier
 *     version wrote the letter and did not say
 * @param subscription name of the subscription that gave up; empty for a queue
 * @param reason for people; empty if the letter does not say
 * @param failures failed deliveries
 * @param diedAt ms since the epoch; 0 if the letter does not say
 */
public record LetterOrigin(
        String address, String clientId, String subscription, String reason, int failures, long diedAt) {}
