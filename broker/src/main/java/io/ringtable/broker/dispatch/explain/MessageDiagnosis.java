package io.ringtable.broker.dispatch.explain;

import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.owed.OwedFacts;
import io.ringtable.broker.dispatch.owed.OwedPlace;
import io.ringtable.broker.dispatch.owed.Ready;
import io.ringtable.broker.dispatch.subscription.AttachedConsumer;
import io.ringtable.broker.dispatch.subscription.CreditState;
import io.ringtable.broker.dispatch.subscription.Fitness;
import io.ringtable.broker.dispatch.subscription.ParkedSubscription;
import io.ringtable.broker.dispatch.subscription.ParkedSubscriptions;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Finds out why one message of a subscription is not given now.
 * <p>
 * Thread: dispatcher.
 */
final class MessageDiagnosis {
    private final ParkedSubscriptions parked;
    private final Obstacles obstacles;
    private final LongSupplier clockMs;

    MessageDiagnosis(ParkedSubscriptions parked, Obstacles obstacles, LongSupplier clockMs) {
        this.parked = parked;
        this.obstacles = obstacles;
        this.clockMs = clockMs;
    }

    /** @param row the message as its row in the store has it */
    Owing of(SubscriptionState state, Ready row) {
        obstacles.begin();
        for (AttachedConsumer consumer : state.consumers()) {
            Delivery delivery = consumer.delivery(row.sequence());
            if (delivery != null) {
                String who = consumer.consumer().description();
                return new Owing(
                        state.subscription(),
                        Why.of(Reason.AT_CONSUMER, "message " + row.sequence() + " is at " + who),
                        delivery.failures(),
                        delivery.redelivered(),
                        who);
            }
        }
        OwedFacts owed = state.owed().facts();
        boolean enlisted = owed.placeOf(row.sequence()) == OwedPlace.TRANSACTION;
        return new Owing(
                state.subscription(),
                why(state, row),
                owed.failures(row.sequence()),
                false,
                enlisted ? owed.enlistedBy(row.sequence()).description() : "");
    }

    /** Returns the failed deliveries of those messages, as far as the slice goes. */
    Map<Long, Integer> failures(SubscriptionState state, List<Long> sequences) {
        obstacles.begin();
        Map<Long, Integer> failures = new HashMap<>();
        for (long sequence : sequences) {
            if (obstacles.isOver()) {
                break;
            }
            failures.put(sequence, failures(state, sequence));
        }
        return failures;
    }

    private int failures(SubscriptionState state, long sequence) {
        for (AttachedConsumer consumer : state.consumers()) {
            obstacles.step();
            Delivery delivery = consumer.delivery(sequence);
            if (delivery != null) {
                return delivery.failures();
            }
        }
        return state.owed().facts().failures(sequence);
    }

    private Why why(SubscriptionState state, Ready row) {
        OwedFacts owed = state.owed().facts();
        String message = "message " + row.sequence();
        OwedPlace place = owed.placeOf(row.sequence());
        switch (place) {
            case TRANSACTION -> {
                return Why.of(
                        Reason.IN_TRANSACTION,
                        message + " is in a transaction of "
                                + owed.enlistedBy(row.sequence()).description());
            }
            case MOVING -> {
                return Why.of(Reason.MOVING, message + " is on its way to another queue, or is being removed");
            }
            case DELAYED -> {
                return obstacles.delayed(state, row.sequence(), row.message().deliverAt());
            }
            case NOWHERE -> {
                return Why.of(Reason.SETTLED, message + " was settled, or has changed hands, a moment ago");
            }
            default -> {
                // It waits for its turn.
            }
        }
        Why parkedWhy = parked(state, row);
        if (parkedWhy != null) {
            return parkedWhy;
        }
        long expiresAt = row.message().expiresAt();
        if (expiresAt != 0 && expiresAt <= clockMs.getAsLong()) {
            return Why.of(Reason.EXPIRED, message + " has expired at " + Instant.ofEpochMilli(expiresAt));
        }
        if (!state.isAttended()) {
            return Why.of(Reason.NO_CONSUMER, state.subscription() + " has no consumer");
        }
        Ready waiting = owed.inMemory(row.sequence());
        return ofConsumers(state, waiting == null ? row : waiting, place);
    }

    private Why parked(SubscriptionState state, Ready row) {
        ParkedSubscription waits = parked.of(state.subscription());
        boolean isHere = waits != null
                && (waits.isForItsSelector()
                        || waits.sequence() == row.sequence()
                        || state.reads().isParked() && waits.sequence() <= row.sequence());
        if (!isHere) {
            return null;
        }
        String where = waits.isForItsSelector() ? "" : " at message " + waits.sequence();
        return Why.of(Reason.PARKED, state.subscription() + " is parked" + where + ": " + waits.reason());
    }

    private Why ofConsumers(SubscriptionState state, Ready message, OwedPlace place) {
        List<AttachedConsumer> wanting = new ArrayList<>();
        boolean isWantedNow = false;
        AttachedConsumer unfitting = null;
        Fitness unfit = null;
        for (AttachedConsumer consumer : state.served()) {
            Fitness fitness = obstacles.fitness(consumer, message);
            if (fitness == Fitness.FITS) {
                wanting.add(consumer);
                isWantedNow |= consumer.creditState() == CreditState.FREE;
            } else if (unfit == null || fitness == Fitness.GROUP && unfit != Fitness.GROUP) {
                unfit = fitness;
                unfitting = consumer;
            }
            if (obstacles.isOver()) {
                break;
            }
        }
        if (isWantedNow) {
            return inTurn(state, message, place);
        }
        // A consumer that the group alone keeps from taking the message says more than its owner without credit.
        if (wanting.isEmpty() || unfit == Fitness.GROUP && unfitting.creditState() == CreditState.FREE) {
            return obstacles.unfit(message, unfitting, unfit, state.served().size());
        }
        boolean othersAreFree = state.served().size() < state.consumers().size()
                && !obstacles.free(state.consumers()).isEmpty();
        return othersAreFree ? Obstacles.exclusive(state) : Obstacles.notFree(wanting);
    }

    /** Says what comes first: a consumer with credit wants the message. */
    private static Why inTurn(SubscriptionState state, Ready message, OwedPlace place) {
        String name = "message " + message.sequence();
        long before = state.owed()
                .facts()
                .firstBefore(message.sequence(), message.message().priority());
        if (before != Long.MAX_VALUE) {
            return Why.of(Reason.BEHIND, name + " comes behind message " + before + " of " + state.subscription());
        }
        return place == OwedPlace.MEMORY
                ? Why.of(Reason.DELIVERING, "nothing holds up " + name)
                : Why.of(
                        Reason.READ_BACK,
                        name + " lies in the store and is "
                                + (state.reads().isUnderWay() ? "being read back" : "next to be read back"));
    }
}
