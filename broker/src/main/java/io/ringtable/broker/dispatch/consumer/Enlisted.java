package io.ringtable.broker.dispatch.consumer;

import io.ringtable.broker.work.Settle;

/**
 * A delivery that a transaction holds: no consumer's any more, not yet settled, nobody else's either. Handed back to
 * the dispatcher once, as {@link DispatcherMailbox#committed} or {@link DispatcherMailbox#rolledBack}.
 *
 * @param over somebody has settled it elsewhere before: nothing is left to settle, and it does not come back
 */
public record Enlisted(Delivery delivery, boolean over) {

    /** What the transaction's flush is to settle; null if nothing stored owes it. */
    public Settle settlement() {
        return over || !delivery.subscription().isStored() ? null : delivery.settlement();
    }

    /** In bytes, what it keeps in memory. */
    public int bytes() {
        return delivery.message().bytes();
    }
}
