package io.ringtable.broker.dispatch.redelivery;

import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.owed.Ready;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import io.ringtable.broker.dispatch.subscription.DelayedSubscriptions;
import io.ringtable.broker.dispatch.subscription.DispatchCounters;
import io.ringtable.broker.dispatch.subscription.ServiceQueue;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;
import io.ringtable.broker.dispatch.subscription.Subscriptions;
import io.ringtable.broker.dispatch.subscription.UnattendedSubscriptions;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.work.CommitterMailbox;
import java.util.function.LongSupplier;

/**
 * Decides what becomes of a delivery that its consumer has not settled: it goes back to its place, counted if it
 * failed, at once or after a rest, or moves to the dead-letter queue.
 * <p>
 * Thread: dispatcher.
 */
public final class Redeliveries {
    private final CommitterMailbox committer;
    private final PolicyMoves policyMoves;
    private final Subscriptions subscriptions;
    private final UnattendedSubscriptions unattended;
    private final ServiceQueue serviceQueue;
    private final DelayedSubscriptions delayedSubscriptions;
    private final MoveBackOff moveBackOff;
    private final DispatchCounters counters;
    private final LongSupplier clockMs;

    /** @param clockMs ms since the epoch */
    public Redeliveries(
            CommitterMailbox committer,
            PolicyMoves policyMoves,
            Subscriptions subscriptions,
            UnattendedSubscriptions unattended,
            ServiceQueue serviceQueue,
            DelayedSubscriptions delayedSubscriptions,
            MoveBackOff moveBackOff,
            DispatchCounters counters,
            LongSupplier clockMs) {
        this.committer = committer;
        this.policyMoves = policyMoves;
        this.subscriptions = subscriptions;
        this.unattended = unattended;
        this.serviceQueue = serviceQueue;
        this.delayedSubscriptions = delayedSubscriptions;
        this.moveBackOff = moveBackOff;
        this.counters = counters;
        this.clockMs = clockMs;
    }

    /** Its consumer did nothing with it. */
    public void giveBack(Delivery delivery, boolean redelivered) {
        SubscriptionState state = subscriptions.find(delivery.subscription());
        if (state != null) { // else unsubscribed meanwhile: nobody owes it
            giveBack(state, ready(delivery, delivery.failures(), redelivered, null));
        }
    }

    /** @param notFor never to this consumer again; null = to anybody */
    public void modified(Delivery delivery, boolean failed, Consumer notFor) {
        SubscriptionState state = subscriptions.find(delivery.subscription());
        if (state == null) {
            return;
        }
        AddressPolicy policy = state.policy();
        int failures = delivery.failures() + (failed ? 1 : 0);
        if (failed
                && failures >= policy.deliveriesMax()
                && PolicyMoves.isElsewhere(policy.deadLetterQueue(), delivery)) {
            moveToDeadLetters(
                    state,
                    delivery,
                    failures,
                    failures + " deliveries failed, " + policy.deliveriesMax() + " are allowed");
            return;
        }
        // Whom it is not for is known to memory alone, so it does not rest in the store.
        long rest = failed && notFor == null ? policy.redeliveryDelayMs(failures) : 0;
        long notBefore = rest == 0 ? 0 : clockMs.getAsLong() + rest;
        if (failed && notFor == null && rest == 0 && failures >= policy.deliveriesMax()) {
            notBefore = staysUntil(delivery);
        }
        if (failed && state.subscription().isStored()) {
            committer.failed(
                    state.subscription(),
                    new Flush.Redelivery(
                            delivery.sequence(), state.subscription().id(), failures, notBefore));
        }
        Ready ready = ready(delivery, failures, failed || delivery.redelivered(), notFor);
        if (notBefore == 0) {
            giveBack(state, ready);
        } else {
            state.owed().rests(ready, notBefore);
            delayedSubscriptions.add(state);
        }
    }

    /** @param reason may be null */
    public void rejected(Delivery delivery, String reason) {
        SubscriptionState state = subscriptions.find(delivery.subscription());
        if (state == null) {
            return;
        }
        if (PolicyMoves.isElsewhere(state.policy().deadLetterQueue(), delivery)) {
            moveToDeadLetters(
                    state,
                    delivery,
                    delivery.failures(),
                    reason == null ? "rejected by its consumer" : "rejected by its consumer: " + reason);
        } else {
            rest(state, ready(delivery, delivery.failures(), true, null), staysUntil(delivery));
        }
    }

    /** It is where dead letters are: at once it would come again as fast as its consumer fails. */
    private long staysUntil(Delivery delivery) {
        return moveBackOff.restUntil(
                delivery.subscription().address(), "what fails or is rejected in a queue of dead letters stays there");
    }

    private void rest(SubscriptionState state, Ready ready, long until) {
        state.owed().rests(ready, until);
        delayedSubscriptions.add(state);
        serviceQueue.add(state);
    }

    private void moveToDeadLetters(SubscriptionState state, Delivery delivery, int failures, String reason) {
        Delivery last = new Delivery(
                delivery.message(),
                delivery.subscription(),
                delivery.sequence(),
                delivery.group(),
                delivery.pending(),
                delivery.epoch(),
                failures,
                true);
        policyMoves.move(
                last,
                state.policy().deadLetterQueue(),
                reason,
                counters::deadLetter,
                (itsState, until) -> rest(itsState, ready(delivery, delivery.failures(), true, null), until));
    }

    private static Ready ready(Delivery delivery, int failures, boolean redelivered, Consumer notFor) {
        return new Ready(
                delivery.message(),
                delivery.sequence(),
                delivery.group(),
                delivery.pending(),
                failures,
                redelivered,
                notFor);
    }

    private void giveBack(SubscriptionState state, Ready ready) {
        state.owed().giveBack(ready);
        if (!state.isAttended() && state.subscription().isStored()) {
            unattended.leaveToStore(state);
        }
        serviceQueue.add(state);
    }
}
