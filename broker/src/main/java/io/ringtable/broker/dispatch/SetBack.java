package io.ringtable.broker.dispatch;

/**
 * An address whose messages should leave it, as dead letters or because they have expired, and cannot.
 *
 * @param messages how often one of them was set back since they rest
 * @param reason why the last one was
 */
public record SetBack(String address, long messages, String reason) {
    SetBack oneMore() {
        return new SetBack(address, messages + 1, reason);
    }
}
