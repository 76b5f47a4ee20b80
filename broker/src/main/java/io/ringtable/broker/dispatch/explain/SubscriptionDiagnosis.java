package io.ringtable.broker.dispatch.explain;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.dispatch.owed.OwedFacts;
import io.ringtable.broker.dispatch.owed.OwedPlace;
import io.ringtable.broker.dispatch.owed.Ready;
import io.ringtable.broker.dispatch.subscription.AttachedConsumer;
import io.ringtable.broker.dispatch.subscription.Fitness;
import io.ringtable.broker.dispatch.subscription.ParkedSubscription;
import io.ringtable.broker.dispatch.subscription.ParkedSubscriptions;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;
import java.util.List;

/**
 * Finds out why a subscription is given nothing now.
 * <p>
 * Thread: dispatcher.
 */
final class SubscriptionDiagnosis {
    /** Bounds the waiting messages that are held against each consumer's selector and groups. */
    private static final int LOOKED_AT_MAX = 32;

    private final ParkedSubscriptions parked;
    private final CatalogLookup catalog;
    private final Obstacles obstacles;

    SubscriptionDiagnosis(ParkedSubscriptions parked, CatalogLookup catalog, Obstacles obstacles) {
        this.parked = parked;
        this.catalog = catalog;
        this.obstacles = obstacles;
    }

    Why of(SubscriptionState state) {
        obstacles.begin();
        ParkedSubscription waits = parked.of(state.subscription());
        if (waits != null && (waits.isForItsSelector() || state.reads().isParked() || !state.isAttended())) {
            return parked(state, waits);
        }
        if (!state.isAttended()) {
            return owesNothing(state)
                    ? nothingOwed(state)
                    : Why.of(Reason.NO_CONSUMER, state.subscription() + " has no consumer");
        }
        List<Ready> first = state.owed().facts().firstInMemory(LOOKED_AT_MAX);
        boolean waiting = !first.isEmpty()
                || !state.owed().isCaughtUp()
                || state.owed().facts().hasSetAside();
        return waiting ? ofWaiting(state, first) : ofNothingReady(state);
    }

    /**
     * Tells whether nothing is owed. A stretch of backlog that nobody has read may be empty by now, which the
     * committer's counts tell.
     */
    private boolean owesNothing(SubscriptionState state) {
        return state.owed().facts().isEmpty()
                || state.subscription().isStored() && catalog.owedBy(state.subscription()) == 0;
    }

    private static Why parked(SubscriptionState state, ParkedSubscription waits) {
        String where = waits.isForItsSelector() ? "" : " at message " + waits.sequence();
        return Why.of(Reason.PARKED, state.subscription() + " is parked" + where + ": " + waits.reason());
    }

    private static Why nothingOwed(SubscriptionState state) {
        return Why.of(Reason.NOTHING_OWED, state.subscription() + " owes nothing");
    }

    /** Explains a subscription whose messages could be given now. */
    private Why ofWaiting(SubscriptionState state, List<Ready> first) {
        List<AttachedConsumer> free = obstacles.free(state.served());
        if (free.isEmpty()) {
            boolean othersAreFree = state.served().size() < state.consumers().size()
                    && !obstacles.free(state.consumers()).isEmpty();
            return othersAreFree ? Obstacles.exclusive(state) : Obstacles.notFree(state.served());
        }
        Why unfit = null;
        for (Ready message : first) {
            for (AttachedConsumer consumer : free) {
                Fitness fitness = obstacles.fitness(consumer, message);
                if (fitness == Fitness.FITS || obstacles.isOver()) {
                    return delivering(state);
                }
                if (unfit == null) {
                    unfit = obstacles.unfit(message, consumer, fitness, free.size());
                }
            }
        }
        if (!state.owed().isCaughtUp()) {
            return Why.of(
                    Reason.READ_BACK,
                    "the next messages of " + state.subscription() + " lie in the store and are "
                            + (state.reads().isUnderWay() ? "being read back" : "next to be read back"));
        }
        return unfit != null
                ? unfit
                : Why.of(
                        Reason.SELECTOR,
                        "the consumers of " + state.subscription() + " that have credit want none of its messages");
    }

    private static Why delivering(SubscriptionState state) {
        return Why.of(Reason.DELIVERING, "nothing holds up " + state.subscription());
    }

    /** Explains a subscription that owes only what is with consumers, on its way, or for later. */
    private Why ofNothingReady(SubscriptionState state) {
        int unsettled = 0;
        AttachedConsumer holder = null;
        for (AttachedConsumer consumer : state.consumers()) {
            int its = consumer.unsettledCount();
            unsettled += its;
            holder = holder == null && its > 0 ? consumer : holder;
        }
        if (holder != null) {
            return Why.of(
                    Reason.AT_CONSUMER,
                    "all that " + state.subscription() + " could give is with its consumers: "
                            + Obstacles.count(unsettled, "message", "messages") + " unsettled, at "
                            + holder.consumer().description());
        }
        OwedFacts owed = state.owed().facts();
        long leaving = owed.firstLeaving();
        if (leaving >= 0) {
            return owed.placeOf(leaving) == OwedPlace.TRANSACTION
                    ? Why.of(
                            Reason.IN_TRANSACTION,
                            "message " + leaving + " is in a transaction of "
                                    + owed.enlistedBy(leaving).description())
                    : Why.of(Reason.MOVING, "message " + leaving + " is on its way to another queue");
        }
        long delayed = owed.firstDelayed();
        return delayed >= 0 ? obstacles.delayed(state, delayed, 0) : nothingOwed(state);
    }
}
