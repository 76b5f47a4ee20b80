package io.ringtable.broker.dispatch;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.browse.Browsers;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.consumer.Enlisted;
import io.ringtable.broker.dispatch.fanout.PublisherHolds;
import io.ringtable.broker.dispatch.memory.UnsettledBytes;
import io.ringtable.broker.dispatch.redelivery.Enlistments;
import io.ringtable.broker.dispatch.redelivery.Redeliveries;
import io.ringtable.broker.dispatch.subscription.AttachedConsumer;
import io.ringtable.broker.dispatch.subscription.DispatchCounters;
import io.ringtable.broker.dispatch.subscription.ParkedSubscriptions;
import io.ringtable.broker.dispatch.subscription.ServiceQueue;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;
import io.ringtable.broker.dispatch.subscription.Subscriptions;
import io.ringtable.broker.dispatch.subscription.UnattendedSubscriptions;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.CommitterMailbox;
import io.ringtable.broker.work.Completion;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

/**
 * Carries out what consumers say: attaches and detaches them, takes their credit, and obeys the outcomes of their
 * deliveries.
 * <p>
 * Thread: consumers' threads call the methods of {@link DispatcherMailbox}, which hand over to the dispatcher and
 * return. Accepting a delivery, or enlisting it in a transaction, takes it from the consumer at once.
 */
final class ConsumerCommands implements DispatcherMailbox {
    private final Executor dispatcher;
    private final CommitterMailbox committer;
    private final Subscriptions subscriptions;
    private final UnattendedSubscriptions unattended;
    private final ParkedSubscriptions parked;
    private final PublisherHolds publisherHolds;
    private final Redeliveries redeliveries;
    private final Enlistments enlistments;
    private final Browsers browsers;
    private final ServiceQueue serviceQueue;
    private final DispatchCounters counters;
    private final UnsettledBytes unsettledBytes;
    private final long unsettledBytesMax;
    private final Predicate<Address> isFannedOut;
    private final Map<Consumer, AttachedConsumer> attachedConsumers =
            new ConcurrentHashMap<>(); // written by dispatcher, read by consumers' threads

    /**
     * @param dispatcher runs on the dispatcher's thread, in order
     * @param unsettledBytes of all consumers
     * @param unsettledBytesMax of one consumer
     * @param isFannedOut tells whether messages of a topic are still on their way to its volatile subscriptions
     */
    ConsumerCommands(
            Executor dispatcher,
            CommitterMailbox committer,
            Subscriptions subscriptions,
            UnattendedSubscriptions unattended,
            ParkedSubscriptions parked,
            PublisherHolds publisherHolds,
            Redeliveries redeliveries,
            Enlistments enlistments,
            Browsers browsers,
            ServiceQueue serviceQueue,
            DispatchCounters counters,
            UnsettledBytes unsettledBytes,
            long unsettledBytesMax,
            Predicate<Address> isFannedOut) {
        this.dispatcher = dispatcher;
        this.committer = committer;
        this.subscriptions = subscriptions;
        this.unattended = unattended;
        this.parked = parked;
        this.publisherHolds = publisherHolds;
        this.redeliveries = redeliveries;
        this.enlistments = enlistments;
        this.browsers = browsers;
        this.serviceQueue = serviceQueue;
        this.counters = counters;
        this.unsettledBytes = unsettledBytes;
        this.unsettledBytesMax = unsettledBytesMax;
        this.isFannedOut = isFannedOut;
    }

    // ---- coming

    @Override
    public void attach(Consumer consumer, Subscription subscription) {
        dispatcher.execute(() -> onAttach(consumer, subscription));
    }

    private void onAttach(Consumer consumer, Subscription subscription) {
        SubscriptionState state = endsUnattended(subscription)
                ? subscriptions.addVolatile(subscription)
                : subscriptions.find(subscription);
        Refusal refusal = null;
        if (state == null) {
            refusal = gone(subscription);
        } else if (state.isAttended() && !subscription.shared()) {
            refusal =
                    new Refusal(Refusal.Reason.NOT_ALLOWED, "RT-2203", subscription + " is in use by another consumer");
        }
        if (refusal != null) {
            consumer.ended(refusal);
            serviceQueue.wakeAtEnd(consumer.mailbox());
            return;
        }
        AttachedConsumer attached =
                new AttachedConsumer(consumer, state, unsettledBytesMax, unsettledBytes, () -> serviceQueue.add(state));
        attachedConsumers.put(consumer, attached);
        state.add(attached);
        counters.consumers(1);
    }

    @Override
    public void browse(Consumer consumer, Subscription subscription) {
        dispatcher.execute(() -> {
            SubscriptionState state = subscriptions.find(subscription);
            if (state == null) {
                consumer.ended(gone(subscription));
                serviceQueue.wakeAtEnd(consumer.mailbox());
            } else {
                browsers.begin(consumer, state);
            }
        });
    }

    /**
     * Decides whether a subscription ends with its last consumer. A topic's volatile ones do; a temporary queue's waits
     * for the next consumer.
     */
    private static boolean endsUnattended(Subscription subscription) {
        return !subscription.isStored() && !subscription.address().isQueue();
    }

    private static Refusal gone(Subscription subscription) {
        return new Refusal(Refusal.Reason.NOT_FOUND, "RT-2202", subscription + " was deleted");
    }

    @Override
    public void credit(Consumer consumer, long limit, boolean drain) {
        dispatcher.execute(() -> {
            AttachedConsumer attached = attachedConsumers.get(consumer);
            if (attached != null) {
                attached.limit(limit, drain);
                serviceQueue.add(attached.subscription());
            } else {
                browsers.credit(consumer, limit, drain);
            }
        });
    }

    @Override
    public void recall(Consumer consumer) {
        dispatcher.execute(() -> {
            AttachedConsumer attached = attachedConsumers.get(consumer);
            if (attached != null) {
                attached.recall();
                serviceQueue.wakeAtEnd(consumer.mailbox());
            }
        });
    }

    // ---- outcomes

    @Override
    public void accepted(Consumer consumer, Delivery delivery, Completion completion) {
        AttachedConsumer attached = attachedConsumers.get(consumer);
        if (attached == null || !attached.take(delivery)) {
            refuseLate(delivery, completion);
            dispatcher.execute(() -> browsers.taken(consumer, delivery));
            return;
        }
        attached.forgetSettledElsewhere(delivery);
        if (delivery.subscription().isStored()) {
            committer.settle(delivery.settlement(), completion);
        } else if (completion != null) {
            completion.accepted();
            completion.mailbox().wake();
        }
        if (attached.settled(delivery)) {
            dispatcher.execute(() -> serviceQueue.add(attached.subscription()));
        }
    }

    /**
     * Refuses the outcome of a delivery that went back when its consumer ended, and that another consumer may have by
     * now.
     */
    private static void refuseLate(Delivery delivery, Completion completion) {
        if (completion != null) {
            completion.refused(new Refusal(
                    Refusal.Reason.NOT_FOUND,
                    "RT-2205",
                    "message " + delivery.sequence() + " of " + delivery.subscription()
                            + " was settled already, or its link is detached: it comes again"));
            completion.mailbox().wake();
        }
    }

    @Override
    public Enlisted enlist(Consumer consumer, Delivery delivery) {
        AttachedConsumer attached = attachedConsumers.get(consumer);
        return attached == null ? null : enlistments.enlist(attached, delivery, this);
    }

    @Override
    public void committed(Enlisted enlisted) {
        enlistments.committed(enlisted);
    }

    @Override
    public void rolledBack(Enlisted enlisted, boolean failed) {
        enlistments.rolledBack(enlisted, failed);
    }

    @Override
    public void released(Consumer consumer, Delivery delivery) {
        takeBack(consumer, delivery, () -> redeliveries.giveBack(delivery, delivery.redelivered()));
    }

    @Override
    public void modified(Consumer consumer, Delivery delivery, boolean failed, boolean notHere) {
        takeBack(consumer, delivery, () -> redeliveries.modified(delivery, failed, notHere ? consumer : null));
    }

    @Override
    public void rejected(Consumer consumer, Delivery delivery, String reason) {
        takeBack(consumer, delivery, () -> redeliveries.rejected(delivery, reason));
    }

    /**
     * Takes the delivery from the consumer and runs the action, unless the delivery went back before or its message is
     * over.
     */
    private void takeBack(Consumer consumer, Delivery delivery, Runnable action) {
        dispatcher.execute(() -> {
            AttachedConsumer attached = attachedConsumers.get(consumer);
            if (attached != null && attached.take(delivery)) {
                if (attached.settled(delivery)) {
                    serviceQueue.add(attached.subscription());
                }
                if (!attached.forgetSettledElsewhere(delivery)) {
                    action.run();
                }
            } else {
                browsers.taken(consumer, delivery);
            }
        });
    }

    @Override
    public CompletionStage<Long> owedForLaterOnly(Subscription subscription) {
        CompletableFuture<Long> answer = new CompletableFuture<>();
        dispatcher.execute(() -> {
            SubscriptionState state = subscriptions.find(subscription);
            boolean mayGetMore = state == null || !subscription.isStored() && isFannedOut.test(subscription.address());
            answer.complete(mayGetMore ? -1 : state.owedForLaterOnly());
        });
        return answer;
    }

    // ---- going

    @Override
    public void detach(Consumer consumer, List<Delivery> unsettled, boolean lost) {
        dispatcher.execute(() -> onDetach(consumer, unsettled, lost));
    }

    private void onDetach(Consumer consumer, List<Delivery> unsettled, boolean lost) {
        AttachedConsumer attached = attachedConsumers.remove(consumer);
        if (attached == null) {
            browsers.end(consumer);
            return; // or the broker has ended it
        }
        SubscriptionState state = attached.subscription();
        state.remove(attached);
        counters.consumers(-1);
        Set<Delivery> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        seen.addAll(unsettled);
        for (Delivery delivery : attached.unsettled()) {
            boolean maybeSeen = lost && seen.contains(delivery);
            if (attached.take(delivery)) {
                attached.settled(delivery);
                if (!attached.forgetSettledElsewhere(delivery)) {
                    redeliveries.giveBack(delivery, maybeSeen || delivery.redelivered());
                }
            }
        }
        attached.end();
        if (!state.isAttended()) {
            if (state.subscription().isStored()) {
                unattended.leaveToStore(state);
            } else if (endsUnattended(state.subscription())) {
                subscriptions.remove(state.subscription());
                endSubscription(state);
            }
        }
        serviceQueue.add(state);
    }

    /** Ends the consumers of a subscription that is gone, and forgets what it owed. Thread: dispatcher. */
    void endSubscription(SubscriptionState state) {
        List.copyOf(state.consumers()).forEach(attached -> end(attached, gone(state.subscription())));
        browsers.end(state, gone(state.subscription()));
        state.owed().forget();
        parked.remove(state);
        publisherHolds.letGo(state);
    }

    private void end(AttachedConsumer attached, Refusal refusal) {
        attachedConsumers.remove(attached.consumer());
        attached.subscription().remove(attached);
        for (Delivery delivery : attached.unsettled()) {
            if (attached.take(delivery)) {
                attached.settled(delivery);
            }
        }
        attached.end();
        counters.consumers(-1);
        attached.consumer().ended(refusal);
        serviceQueue.wakeAtEnd(attached.consumer().mailbox());
    }
}
