package io.ringtable.broker.dispatch;

import io.ringtable.broker.store.Flush;
import io.ringtable.broker.work.CommitterMailbox;
import java.util.function.LongSupplier;

/**
 * What becomes of a delivery that its consumer has not settled: it goes back to its place, counted if it failed, at once or
 * after a rest, or moves to the dead-letter queue.
 * <p>
 * Thread: dispatcher.
 */
final class Redeliveries {
    private final CommitterMailbox committer;
    private final Burials burials;
    private final Readers readers;
    private final Feeder feeder;
    private final Turn turn;
    private final Timetable timetable;
    private final Setbacks setbacks;
    private final DispatchCounters counters;
    private final LongSupplier clockMs;

    /** @param clockMs ms since the epoch */
    Redeliveries(
            CommitterMailbox committer,
            Burials burials,
            Readers readers,
            Feeder feeder,
            Turn turn,
            Timetable timetable,
            Setbacks setbacks,
            DispatchCounters counters,
            LongSupplier clockMs) {
        this.committer = committer;
        this.burials = burials;
        this.readers = readers;
        this.feeder = feeder;
        this.turn = turn;
        this.timetable = timetable;
        this.setbacks = setbacks;
        this.counters = counters;
        this.clockMs = clockMs;
    }

    /** Its consumer did nothing with it. */
    void giveBack(Delivery delivery, boolean redelivered) {
        SubscriptionState state = readers.find(delivery.subscription());
        if (state != null) { // else unsubscribed meanwhile: nobody owes it
            giveBack(state, ready(delivery, delivery.failures(), redelivered, null));
        }
    }

    /** @param notFor never to this consumer again; null = to anybody */
    void modified(Delivery delivery, boolean failed, Consumer notFor) {
        SubscriptionState state = readers.find(delivery.subscription());
        if (state == null) {
            return;
        }
        AddressPolicy policy = state.policy();
        int failures = delivery.failures() + (failed ? 1 : 0);
        if (failed && failures >= policy.deliveriesMax() && Burials.isElsewhere(policy.deadLetterQueue(), delivery)) {
            bury(
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
            timetable.add(state);
        }
    }

    /** @param reason may be null */
    void rejected(Delivery delivery, String reason) {
        SubscriptionState state = readers.find(delivery.subscription());
        if (state == null) {
            return;
        }
        if (Burials.isElsewhere(state.policy().deadLetterQueue(), delivery)) {
            bury(
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
        return setbacks.restUntil(
                delivery.subscription().address(), "what fails or is rejected in a queue of dead letters stays there");
    }

    private void rest(SubscriptionState state, Ready ready, long until) {
        state.owed().rests(ready, until);
        timetable.add(state);
        turn.wake(state);
    }

    private void bury(SubscriptionState state, Delivery delivery, int failures, String reason) {
        Delivery last = new Delivery(
                delivery.message(),
                delivery.subscription(),
                delivery.sequence(),
                delivery.group(),
                delivery.pending(),
                delivery.epoch(),
                failures,
                true);
        burials.bury(
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
            feeder.leaveToStore(state);
        }
        turn.wake(state);
    }
}
