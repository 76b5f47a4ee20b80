package io.ringtable.broker.dispatch.redelivery;

/**
 * An address whose messages should leave it, as dead letters or because they have expired, and cannot.
 *
 * @param messages how often one of them was held back since they rest
 * @param reason why the last one was
 */
public record StuckAddress(String address, long messages, String reason) {
    StuckAddress oneMore() {
        return new StuckAddress(address, messages + 1, reason);
    }
}
