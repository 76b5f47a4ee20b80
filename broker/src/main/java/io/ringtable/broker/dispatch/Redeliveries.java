package io.ringtable.broker.dispatch;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.commit.Committer;
import io.ringtable.broker.commit.Settle;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.Flush;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of a delivery that its consumer has not settled: it goes back to its place, counted if it failed, or moves to
 * the dead-letter queue.
 * <p>
 * Thread: dispatcher.
 */
final class Redeliveries {
    private static final Logger LOG = LoggerFactory.getLogger(Redeliveries.class);

    private final Committer committer;
    private final DeadLetters deadLetters;
    private final int deliveriesMax;
    private final Readers readers;
    private final Feeder feeder;
    private final Turn turn;
    private final DispatchCounters counters;
    private final java.util.function.Consumer<Runnable> onDispatcher;

    /** @param onDispatcher runs what the committer answers on the dispatcher's thread */
    Redeliveries(
            Committer committer,
            DeadLetters deadLetters,
            int deliveriesMax,
            Readers readers,
            Feeder feeder,
            Turn turn,
            DispatchCounters counters,
            java.util.function.Consumer<Runnable> onDispatcher) {
        this.committer = committer;
        this.deadLetters = deadLetters;
        this.deliveriesMax = deliveriesMax;
        this.readers = readers;
        this.feeder = feeder;
        this.turn = turn;
        this.counters = counters;
        this.onDispatcher = onDispatcher;
    }

    /** Its consumer did nothing with it. */
    void giveBack(Delivery delivery, boolean redelivered) {
        giveBack(delivery, delivery.failures(), redelivered, null);
    }

    /** @param notFor never to this consumer again; null = to anybody */
    void modified(Delivery delivery, boolean failed, Consumer notFor) {
        int failures = delivery.failures() + (failed ? 1 : 0);
        Subscription subscription = delivery.subscription();
        if (failed && failures >= deliveriesMax && deadLetters.takes(subscription)) {
            bury(delivery, failures, failures + " deliveries failed, " + deliveriesMax + " are allowed");
            return;
        }
        if (failed && subscription.isStored()) {
            committer.failed(subscription, new Flush.Redelivery(delivery.sequence(), subscription.id(), failures, 0));
        }
        giveBack(delivery, failures, failed || delivery.redelivered(), notFor);
    }

    /** @param reason may be null */
    void rejected(Delivery delivery, String reason) {
        if (deadLetters.takes(delivery.subscription())) {
            bury(
                    delivery,
                    delivery.failures(),
                    reason == null ? "rejected by its consumer" : "rejected by its consumer: " + reason);
        } else {
            giveBack(delivery, true);
        }
    }

    private void bury(Delivery delivery, int failures, String reason) {
        SubscriptionState state = readers.find(delivery.subscription());
        if (state == null) {
            return; // unsubscribed meanwhile: nobody owes it
        }
        state.owed().leaves(delivery.sequence());
        Delivery last = new Delivery(
                delivery.message(),
                delivery.subscription(),
                delivery.sequence(),
                delivery.group(),
                delivery.pending(),
                delivery.epoch(),
                failures,
                true);
        Settle settlement = delivery.subscription().isStored() ? delivery.settlement() : null;
        deadLetters.move(
                last, settlement, reason, refusal -> onDispatcher.accept(() -> buried(delivery, reason, refusal)));
    }

    private void buried(Delivery delivery, String reason, Refusal refusal) {
        if (refusal != null) {
            LOG.warn("{} keeps message {} ({}): {}", delivery.subscription(), delivery.sequence(), reason, refusal);
            giveBack(delivery, true);
            return;
        }
        counters.deadLetter();
        SubscriptionState state = readers.find(delivery.subscription());
        if (state != null) {
            state.owed().hasLeft(delivery.sequence());
            state.giveUpRead(); // it may have begun before the settlement was durable
            turn.wake(state);
        }
    }

    private void giveBack(Delivery delivery, int failures, boolean redelivered, Consumer notFor) {
        SubscriptionState state = readers.find(delivery.subscription());
        if (state == null) {
            return; // unsubscribed meanwhile: nobody owes it
        }
        state.owed()
                .giveBack(
                        new Ready(
                                delivery.message(),
                                delivery.sequence(),
                                delivery.group(),
                                delivery.pending(),
                                failures,
                                redelivered,
                                notFor),
                        feeder.gate());
        if (!state.isAttended() && state.subscription().isStored()) {
            feeder.leaveToStore(state);
        }
        turn.wake(state);
    }
}
