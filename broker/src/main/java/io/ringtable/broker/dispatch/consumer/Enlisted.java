package io.ringtable.broker.dispatch.consumer;

import io.ringtable.broker.work.Settle;

/**
 * Holds a delivery for a transaction: no consumer has it, and it is not settled yet. The dispatcher gets it back once,
 * by {@link DispatcherMailbox#committed} or {@link DispatcherMailbox#rolledBack}.
 *
 * @param dispatcher of the delivery's shard
 * @param over whether the message was settled elsewhere before: nothing is left to settle, and it does not come back
 */
public record Enlisted(DispatcherMailbox dispatcher, Delivery delivery, boolean over) {

    /** Returns what the flush of the transaction settles; null if nothing stored owes the message. */
    public Settle settlement() {
        return over || !delivery.subscription().isStored() ? null : delivery.settlement();
    }

    /** Returns the bytes that the delivery keeps in memory. */
    public int bytes() {
        return delivery.message().bytes();
    }
}
