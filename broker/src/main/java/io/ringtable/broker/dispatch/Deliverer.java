package io.ringtable.broker.dispatch;

import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.fanout.FanOut;
import io.ringtable.broker.dispatch.fanout.PublisherHolds;
import io.ringtable.broker.dispatch.owed.Ready;
import io.ringtable.broker.dispatch.readback.SubscriptionReadBack;
import io.ringtable.broker.dispatch.redelivery.PolicyMoves;
import io.ringtable.broker.dispatch.subscription.AttachedConsumer;
import io.ringtable.broker.dispatch.subscription.DelayedSubscriptions;
import io.ringtable.broker.dispatch.subscription.DispatchBounds;
import io.ringtable.broker.dispatch.subscription.DispatchCounters;
import io.ringtable.broker.dispatch.subscription.ServiceQueue;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;
import io.ringtable.broker.work.CommitterMailbox;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Serves one subscription at a time: gives what is in memory to consumers with credit, has read what lies in the store,
 * and answers drains.
 * <p>
 * Thread: dispatcher.
 */
final class Deliverer {
    private final CommitterMailbox committer;
    private final SubscriptionReadBack readBack;
    private final DispatchBounds dispatchBounds;
    private final PublisherHolds publisherHolds;
    private final FanOut fanOut;
    private final PolicyMoves policyMoves;
    private final DelayedSubscriptions delayedSubscriptions;
    private final ServiceQueue serviceQueue;
    private final DispatchCounters counters;
    private final Slice slice;
    private final LongSupplier clockMs;
    private final Consumer<SubscriptionState> again = this::serve;
    private long epoch;

    /**
     * @param epoch the epoch under which deliveries leave
     * @param slice the part of a turn for one subscription
     * @param clockMs ms since the epoch
     */
    Deliverer(
            CommitterMailbox committer,
            long epoch,
            SubscriptionReadBack readBack,
            DispatchBounds dispatchBounds,
            PublisherHolds publisherHolds,
            FanOut fanOut,
            PolicyMoves policyMoves,
            DelayedSubscriptions delayedSubscriptions,
            ServiceQueue serviceQueue,
            DispatchCounters counters,
            Slice slice,
            LongSupplier clockMs) {
        this.committer = committer;
        this.epoch = epoch;
        this.readBack = readBack;
        this.dispatchBounds = dispatchBounds;
        this.publisherHolds = publisherHolds;
        this.fanOut = fanOut;
        this.policyMoves = policyMoves;
        this.delayedSubscriptions = delayedSubscriptions;
        this.serviceQueue = serviceQueue;
        this.counters = counters;
        this.slice = slice;
        this.clockMs = clockMs;
    }

    void epoch(long itsEpoch) {
        epoch = itsEpoch;
    }

    long epoch() {
        return epoch;
    }

    void serve(SubscriptionState state) {
        if (!deliverReady(state)) {
            serviceQueue.addUnfinished(state);
            return;
        }
        if (state.hasChanged()) {
            serviceQueue.add(state); // consumers that were asked before the change are asked again
        }
        boolean hungry = state.areSomeHungry();
        if (state.mayRead()) {
            readBack.readNext(state, hungry, again);
        }
        if (!state.subscription().isStored()) {
            publisherHolds.resumeIfRoom(state);
        }
        answerDrains(state);
    }

    /** @return false if the slice was over before every consumer was asked */
    private boolean deliverReady(SubscriptionState state) {
        slice.begin();
        for (AttachedConsumer attached; (attached = state.nextConsumer(slice)) != null; ) {
            Ready ready = state.next();
            if (isExpired(ready)) {
                state.withhold();
                if (!PolicyMoves.mayMove(state)) {
                    return true; // the end of a move has it served again
                }
                discard(state, ready);
                continue;
            }
            if (state.subscription().isStored() && !dispatchBounds.allows(state, ready.sequence())) {
                state.withhold();
                return true; // the bound must be durable before the delivery
            }
            state.give(ready, attached);
            attached.deliver(delivery(state, ready));
            counters.delivered(ready.redelivered());
            serviceQueue.wakeAtEnd(attached.consumer().mailbox());
        }
        return state.endRound();
    }

    private Delivery delivery(SubscriptionState state, Ready ready) {
        return new Delivery(
                ready.message(),
                state.subscription(),
                ready.sequence(),
                ready.group(),
                ready.pending(),
                epoch,
                ready.failures(),
                ready.redelivered());
    }

    private boolean isExpired(Ready ready) {
        long expiresAt = ready.message().expiresAt();
        return expiresAt != 0 && expiresAt <= clockMs.getAsLong();
    }

    /**
     * Ends a message that has expired and must reach no consumer (Jakarta Messaging 3.1 section 3.4.9). The message is
     * settled, or moves to the expiry queue.
     */
    private void discard(SubscriptionState state, Ready ready) {
        state.owed().take(ready);
        Delivery last = delivery(state, ready);
        String expiryQueue = state.policy().expiryQueue();
        if (PolicyMoves.isElsewhere(expiryQueue, last)) {
            policyMoves.move(last, expiryQueue, "expired", counters::hasExpired, (itsState, until) -> {
                itsState.owed().later(ready, until);
                delayedSubscriptions.add(itsState);
            });
        } else {
            if (state.subscription().isStored()) {
                committer.settle(last.settlement(), null);
            }
            state.owed().isOver(ready.sequence());
            counters.hasExpired();
        }
    }

    private void answerDrains(SubscriptionState state) {
        slice.begin();
        for (AttachedConsumer attached : state.consumers()) {
            if (attached.isDraining()) {
                boolean over = !attached.hasCredit() || nothingToCome(state, attached);
                if (over) {
                    attached.drained();
                    serviceQueue.wakeAtEnd(attached.consumer().mailbox());
                } else if (state.owed().isInterrupted()) {
                    serviceQueue.addUnfinished(state);
                    return;
                }
            }
        }
    }

    private boolean nothingToCome(SubscriptionState state, AttachedConsumer attached) {
        if (!state.isServed(attached)) {
            return true;
        }
        boolean nothingHere = state.owed().peek(attached, state.served(), slice) == null
                && !state.owed().isInterrupted();
        return nothingHere && (state.owed().isCaughtUp() || state.reads().isParked()) && !fanOut.awaits(state);
    }
}
