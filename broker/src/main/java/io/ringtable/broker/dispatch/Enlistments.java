package io.ringtable.broker.dispatch;

import java.util.function.Consumer;

/**
 * Deliveries that transactions hold: taken from their consumers, and given up or given back when the transaction ends.
 * <p>
 * Thread: {@link #enlist} is the consumer's; the rest is done on the dispatcher's.
 */
final class Enlistments {
    private final Readers readers;
    private final Redeliveries redeliveries;
    private final Turn turn;
    private final Consumer<Runnable> onDispatcher;

    /** @param onDispatcher runs on the dispatcher's thread, in order */
    Enlistments(Readers readers, Redeliveries redeliveries, Turn turn, Consumer<Runnable> onDispatcher) {
        this.readers = readers;
        this.redeliveries = redeliveries;
        this.turn = turn;
        this.onDispatcher = onDispatcher;
    }

    /** @return null if it is the consumer's no more */
    Enlisted enlist(CreditWindow window, Delivery delivery) {
        SubscriptionState state = window.subscription();
        state.enlisting(); // before it leaves the window: whoever settles it elsewhere finds it in one of the two
        if (!window.take(delivery)) {
            state.notEnlisted();
            return null;
        }
        Enlisted enlisted = new Enlisted(delivery, window.forgetSettledElsewhere(delivery));
        boolean roomAgain = window.settled(delivery);
        onDispatcher.accept(() -> {
            state.owed().leaves(delivery.sequence());
            state.owed().groups().enlisted(delivery);
            if (roomAgain) {
                turn.wake(state);
            }
        });
        return enlisted;
    }

    void committed(Enlisted enlisted) {
        onDispatcher.accept(() -> {
            SubscriptionState state = readers.find(enlisted.delivery().subscription());
            if (state != null) {
                state.owed().hasLeft(enlisted.delivery().sequence());
                state.owed().isOver(enlisted.delivery().sequence());
                state.enlistedNoMore();
                state.giveUpRead(); // it may have begun before the settlement was durable
                turn.wake(state);
            }
        });
    }

    void rolledBack(Enlisted enlisted, boolean failed) {
        onDispatcher.accept(() -> {
            Delivery delivery = enlisted.delivery();
            SubscriptionState state = readers.find(delivery.subscription());
            if (state != null) { // else unsubscribed meanwhile: nobody owes it
                rolledBack(state, delivery, enlisted.over(), failed);
            }
        });
    }

    private void rolledBack(SubscriptionState state, Delivery delivery, boolean wasOver, boolean failed) {
        boolean over = wasOver || state.wasSettledElsewhere(delivery.sequence());
        state.enlistedNoMore();
        state.owed().isOver(delivery.sequence());
        if (over) {
            state.owed().hasLeft(delivery.sequence());
        } else if (failed) {
            redeliveries.modified(delivery, true, null);
        } else {
            redeliveries.giveBack(delivery, true);
        }
    }
}
