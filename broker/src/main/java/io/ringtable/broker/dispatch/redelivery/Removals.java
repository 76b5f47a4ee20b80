package io.ringtable.broker.dispatch.redelivery;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.owed.OwedPlace;
import io.ringtable.broker.dispatch.subscription.AttachedConsumer;
import io.ringtable.broker.dispatch.subscription.ServiceQueue;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;
import io.ringtable.broker.dispatch.subscription.Subscriptions;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.MessageRow;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.work.CommitterMailbox;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Settle;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Settles messages that an operator removes. The broker does not remove a message that a consumer has, or that is on
 * its way elsewhere. The holder decides what becomes of it.
 * <p>
 * Thread: any calls {@link #remove}; the rest is done on the dispatcher's. The outcome comes on the committer's or the
 * dispatcher's thread.
 */
public final class Removals {
    /** Stands for the unknown failures of the message, so that a row of failed deliveries goes too. */
    private static final int MAY_HAVE_FAILED = 1;

    private final CommitterMailbox committer;
    private final Subscriptions subscriptions;
    private final ServiceQueue serviceQueue;
    private final LongSupplier epoch;
    private final Executor dispatcher;

    /**
     * @param epoch the epoch under which deliveries leave
     * @param dispatcher runs on the dispatcher's thread, in order
     */
    public Removals(
            CommitterMailbox committer,
            Subscriptions subscriptions,
            ServiceQueue serviceQueue,
            LongSupplier epoch,
            Executor dispatcher) {
        this.committer = committer;
        this.subscriptions = subscriptions;
        this.serviceQueue = serviceQueue;
        this.epoch = epoch;
        this.dispatcher = dispatcher;
    }

    /**
     * Settles a message for one stored subscription that owes it.
     *
     * @param outcome hears null once that is durable, or why the message stays
     */
    public void remove(Subscription subscription, MessageRow row, Consumer<Refusal> outcome) {
        dispatcher.execute(() -> {
            SubscriptionState state = subscriptions.find(subscription);
            Refusal refusal = refusal(subscription, state, row.message().sequence());
            if (refusal != null) {
                outcome.accept(refusal);
            } else {
                remove(state, row.message(), outcome);
            }
        });
    }

    /**
     * Drops a message that waits for a volatile subscription.
     *
     * @param number that the subscription gave the message
     * @param outcome hears null once the message is gone, or why it stays
     */
    public void removeVolatile(Subscription subscription, long number, Consumer<Refusal> outcome) {
        dispatcher.execute(() -> {
            SubscriptionState state = subscriptions.find(subscription);
            Refusal refusal = refusal(subscription, state, number);
            if (refusal == null) {
                state.owed().settledElsewhere(number);
                serviceQueue.add(state); // publishers that it held back may go on
            }
            outcome.accept(refusal);
        });
    }

    private static Refusal refusal(Subscription subscription, SubscriptionState state, long sequence) {
        if (state == null) {
            return new Refusal(Refusal.Reason.NOT_FOUND, "RT-7210", subscription + " was deleted: nothing is owed");
        }
        for (AttachedConsumer consumer : state.consumers()) {
            if (consumer.delivery(sequence) != null) {
                return new Refusal(
                        Refusal.Reason.IN_USE,
                        "RT-7211",
                        "message " + sequence + " of " + subscription + " is at "
                                + consumer.consumer().description()
                                + ": let it settle the message, or close its link and try again");
            }
        }
        OwedPlace place = state.owed().facts().placeOf(sequence);
        boolean moves = place == OwedPlace.TRANSACTION || place == OwedPlace.MOVING || place == OwedPlace.NOWHERE;
        return !moves
                ? null
                : new Refusal(
                        Refusal.Reason.IN_USE,
                        "RT-7212",
                        "message " + sequence + " of " + subscription + " "
                                + (place == OwedPlace.TRANSACTION
                                        ? "is in a transaction: end it and try again"
                                        : "is on its way elsewhere, or was settled a moment ago: try again"));
    }

    private void remove(SubscriptionState state, StoredMessage row, Consumer<Refusal> outcome) {
        state.owed().removes(row.sequence());
        Settle settlement = new Settle(
                state.subscription(),
                row.sequence(),
                epoch.getAsLong(),
                row.group(),
                row.pending(),
                row.bodyBytes(),
                row.bodyId(),
                MAY_HAVE_FAILED,
                null);
        committer.settle(settlement, new Completion() {
            @Override
            public void accepted() {
                dispatcher.execute(() -> isRemoved(state, row.sequence()));
                outcome.accept(null);
            }

            @Override
            public void refused(Refusal refusal) {
                outcome.accept(refusal);
            }

            @Override
            public Mailbox mailbox() {
                return Mailbox.NONE;
            }
        });
        serviceQueue.add(state);
    }

    private void isRemoved(SubscriptionState state, long sequence) {
        state.owed().hasLeft(sequence);
        state.reads().giveUp(); // the read may have begun before the settlement was durable
        serviceQueue.add(state);
    }
}
