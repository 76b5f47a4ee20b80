package io.ringtable.broker.dispatch.explain;

import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.dispatch.owed.GroupHold;
import io.ringtable.broker.dispatch.owed.Ready;
import io.ringtable.broker.dispatch.redelivery.MoveBackOff;
import io.ringtable.broker.dispatch.redelivery.StuckAddress;
import io.ringtable.broker.dispatch.subscription.AttachedConsumer;
import io.ringtable.broker.dispatch.subscription.CreditState;
import io.ringtable.broker.dispatch.subscription.Fitness;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Puts single obstacles into words: those of a consumer, of a message for a consumer, of a delayed message.
 * <p>
 * Thread: dispatcher.
 */
final class Obstacles {
    private final MoveBackOff moveBackOff;
    private final Slice slice;
    private final LongSupplier clockMs;

    Obstacles(MoveBackOff moveBackOff, Slice slice, LongSupplier clockMs) {
        this.moveBackOff = moveBackOff;
        this.slice = slice;
        this.clockMs = clockMs;
    }

    /** Begins an answer: from now on its slice counts. */
    void begin() {
        slice.begin();
    }

    void step() {
        slice.step();
    }

    /** Returns whether the answer must do with what was looked at so far. */
    boolean isOver() {
        return slice.isOver();
    }

    Fitness fitness(AttachedConsumer consumer, Ready message) {
        return consumer.fitness(message, slice);
    }

    /** Returns those that could take a message now, as far as the slice goes. */
    List<AttachedConsumer> free(List<AttachedConsumer> consumers) {
        List<AttachedConsumer> free = new ArrayList<>();
        for (int i = 0; i < consumers.size() && !slice.isOver(); i++) {
            slice.step();
            if (consumers.get(i).creditState() == CreditState.FREE) {
                free.add(consumers.get(i));
            }
        }
        return free;
    }

    /** Says why none of the consumers, all of which are served and want a message, takes one. */
    static Why notFree(List<AttachedConsumer> consumers) {
        AttachedConsumer first = consumers.get(0);
        String who = first.consumer().description() + others(consumers.size() - 1);
        return switch (first.creditState()) {
            case CONSUMER_FULL ->
                Why.of(
                        Reason.CONSUMER_FULL,
                        who + " holds " + count(first.unsettledCount(), "message", "messages") + " of "
                                + first.unsettledBytes() + " bytes unsettled, as many as one consumer may");
            case CONNECTION_FULL ->
                Why.of(
                        Reason.CONNECTION_FULL,
                        "the connection of " + who + " holds its share of the memory for unsettled messages");
            default ->
                Why.of(
                        Reason.NO_CREDIT,
                        who + " has no credit and holds " + count(first.unsettledCount(), "message", "messages")
                                + " unsettled");
        };
    }

    /** Says that the one consumer of an exclusive address gets everything, while others could take a message. */
    static Why exclusive(SubscriptionState state) {
        return Why.of(
                Reason.EXCLUSIVE,
                state.subscription().address() + " is exclusive: only "
                        + state.consumers().get(0).consumer().description() + " is served, and "
                        + (state.consumers().size() - 1) + " more wait for it to go");
    }

    /** Says why a message is for none of those consumers that could take it. */
    Why unfit(Ready message, AttachedConsumer consumer, Fitness fitness, int asked) {
        String who = consumer.consumer().description() + others(asked - 1);
        return switch (fitness) {
            case GROUP -> group(message, consumer);
            case NOT_HERE -> Why.of(Reason.NOT_HERE, who + " gave message " + message.sequence() + " back for others");
            default ->
                Why.of(Reason.SELECTOR, "the selector of " + who + " does not want message " + message.sequence());
        };
    }

    private static Why group(Ready message, AttachedConsumer consumer) {
        GroupHold hold = consumer.subscription().owed().facts().groupHold(consumer, message);
        String group = "group '" + (hold == null ? "" : hold.group()) + "' of message " + message.sequence();
        if (hold != null && hold.owner() instanceof AttachedConsumer owner) {
            return Why.of(
                    Reason.GROUP, group + " belongs to " + owner.consumer().description());
        }
        return Why.of(
                Reason.GROUP,
                group + " waits for its earlier message " + (hold == null ? "" : hold.earlier())
                        + ", which rests or is in a transaction");
    }

    /** Says what a delayed message waits for. @param deliverAt what its publisher wants; 0 = nothing, or unknown */
    Why delayed(SubscriptionState state, long sequence, long deliverAt) {
        long due = state.owed().facts().dueAt(sequence);
        long until = due == Long.MAX_VALUE ? deliverAt : due;
        String when = until == 0 ? "later" : "at " + Instant.ofEpochMilli(until);
        StuckAddress stuck = moveBackOff.of(state.subscription().address(), until);
        if (deliverAt > clockMs.getAsLong() && deliverAt >= until) {
            return new Why(Reason.DELAY, "message " + sequence + " is to be delivered " + when, until);
        }
        if (stuck != null) {
            return new Why(
                    Reason.MOVE_STUCK,
                    "message " + sequence + " should leave its address and cannot; the next try is " + when + ": "
                            + stuck.reason(),
                    until);
        }
        return state.owed().facts().restsAfterFailure(sequence)
                ? new Why(
                        Reason.REST,
                        "message " + sequence + " rests after "
                                + count(state.owed().facts().failures(sequence), "failed delivery", "failed deliveries")
                                + "; it comes again "
                                + when,
                        until)
                : new Why(Reason.DELAY, "message " + sequence + " is to be delivered " + when, until);
    }

    private static String others(int more) {
        return more <= 0 ? "" : " (and " + more + " more)";
    }

    /** Returns a number of things in words, such as {@code 2 messages}. */
    static String count(long number, String one, String several) {
        return number + " " + (number == 1 ? one : several);
    }
}
