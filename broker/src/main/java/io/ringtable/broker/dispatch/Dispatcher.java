package io.ringtable.broker.dispatch;

import io.ringtable.broker.agent.Agent;
import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.agent.ThreadOwner;
import io.ringtable.broker.catalog.Address;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.commit.CommitListener;
import io.ringtable.broker.commit.Committed;
import io.ringtable.broker.commit.Committer;
import io.ringtable.broker.commit.Completion;
import io.ringtable.broker.commit.Lease;
import io.ringtable.broker.commit.Settle;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.Flush.DispatchedTo;
import io.ringtable.broker.store.RingStore;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives what is durable to consumers within their credit, and takes back what they do not settle.
 * <p>
 * Thread: {@code dispatcher}. Consumers come through {@link DispatcherMailbox}, the committer through
 * {@link CommitListener}; both hand over and return, in order. Everything a turn puts into a connection's mailbox is
 * followed by one wake-up. While the lease is over no turn is taken: nothing is delivered, ended or answered.
 */
public final class Dispatcher implements Agent, DispatcherMailbox, CommitListener {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
    /**
     * Steps that a turn takes for one subscription, and for all that is fanned out: a consumer that is looked at is a step, a message
     * that is looked through some more.
     */
    public static final int SLICE_STEPS = 4_096;

    /** Commands of one turn. */
    private static final int TURN_MAX = 1_000;
    /** A part of a turn (commands, fanning out, one subscription) is over when the clock has gone on by so much. */
    private static final long TURN_MS = 2;

    private final DispatchSettings settings;
    private final int sliceSteps;
    private final Doorbell doorbell;
    private final LongSupplier clockMs;
    private final Lease lease;
    private final MessageFormat format;
    private final Queue<Runnable> commands = new MpscUnboundedAtomicArrayQueue<>(1024);
    private final ThreadOwner owner = new ThreadOwner("the dispatcher's state");
    private final Subscriptions subscriptions;
    private final MemoryBudget budget;
    private final DispatchCounters counters = new DispatchCounters();
    private final Map<Consumer, AttachedConsumer> consumers =
            new ConcurrentHashMap<>(); // written by dispatcher, read by consumers' threads
    private final UnsettledBytes unsettledBytes;
    private final ServiceQueue serviceQueue;
    private final DelayedSubscriptions delayedSubscriptions = new DelayedSubscriptions();
    private final PublisherHolds publisherHolds;
    private final FanOut fanOut;
    private final MoveBackOff moveBackOff;
    private Committer committer;
    private Redeliveries redeliveries;
    private Enlistments enlistments;
    private Browsers browsers;
    private DispatchBounds dispatchBounds;
    private volatile Feeder feeder; // written before the first turn, read by status
    private Runnable closeReaders = () -> {};

    /**
     * @param sliceSteps {@link #SLICE_STEPS}, or fewer for tests that want everything to be interrupted; at least 1
     * @param clockMs ms since the epoch
     * @param lease until when consumers may see anything
     */
    public Dispatcher(
            DispatchSettings settings,
            int sliceSteps,
            Doorbell doorbell,
            MessageFormat format,
            LongSupplier clockMs,
            Lease lease) {
        this.settings = settings;
        this.sliceSteps = sliceSteps;
        this.doorbell = doorbell;
        this.format = format;
        this.clockMs = clockMs;
        this.lease = lease;
        this.budget = new MemoryBudget(settings.memoryBytesMax());
        this.unsettledBytes = new UnsettledBytes(settings.memoryBytesMax(), this::put);
        this.subscriptions = new Subscriptions(settings.policies(), budget, settings.windowMessagesMax());
        this.moveBackOff = new MoveBackOff(clockMs);
        this.serviceQueue = new ServiceQueue(clockMs);
        this.publisherHolds = new PublisherHolds(budget, settings.volatileMessagesMax(), this::released);
        this.fanOut = new FanOut(budget, publisherHolds::holds, this::arrived, serviceQueue::add, slice());
    }

    private Slice slice() {
        return new Slice(sliceSteps, TURN_MS, clockMs);
    }

    /** Before the first turn: the two agents of a shard know each other, and read back on threads of their own. */
    public void begin(Committer itsCommitter, RingStore store, long itsEpoch, long itsGate) {
        AtomicInteger number = new AtomicInteger();
        ExecutorService threads =
                Executors.newFixedThreadPool(2, task -> new Thread(task, "store-reader-" + number.incrementAndGet()));
        closeReaders = threads::shutdownNow;
        begin(itsCommitter, store, itsEpoch, itsGate, threads);
    }

    /** @param readBacks runs what is read back from the store */
    public void begin(Committer itsCommitter, RingStore store, long itsEpoch, long itsGate, Executor readBacks) {
        committer = itsCommitter;
        dispatchBounds = new DispatchBounds(committer);
        StoreReader storeReader = new StoreReader(store, format, readBacks);
        ReadPermits readPermits = new ReadPermits();
        PolicyMoves policyMoves = new PolicyMoves(
                new DeadLetters(committer.catalog(), committer, format, clockMs),
                subscriptions,
                serviceQueue,
                moveBackOff,
                this::put);
        feeder = new Feeder(
                committer,
                storeReader,
                readPermits,
                dispatchBounds,
                publisherHolds,
                fanOut,
                policyMoves,
                delayedSubscriptions,
                serviceQueue,
                counters,
                slice(),
                clockMs,
                this::put);
        redeliveries = new Redeliveries(
                committer,
                policyMoves,
                subscriptions,
                feeder,
                serviceQueue,
                delayedSubscriptions,
                moveBackOff,
                counters,
                clockMs);
        enlistments = new Enlistments(subscriptions, redeliveries, serviceQueue, this::put);
        browsers =
                new Browsers(storeReader, readPermits, feeder::gate, clockMs, this::put, serviceQueue, unsettledBytes);
        feeder.epoch(itsEpoch);
        feeder.gate(itsGate);
        subscriptions.forEachDamaged(feeder::foundDamaged);
        subscriptions.forEachStored(feeder::foundUnreadable);
        subscriptions.forEachStored(delayedSubscriptions::add);
    }

    /** Before the first turn. */
    public void recovered(Address address) {
        subscriptions.add(address);
    }

    /** Before the first turn: a stored subscription and what it owes. */
    public RecoveredSubscription recovered(Subscription subscription) {
        return new RecoveredSubscription(subscriptions.add(subscription));
    }

    @Override
    public String roleName() {
        return "dispatcher";
    }

    @Override
    public int doWork() {
        owner.check();
        if (lease.isOver()) {
            return 0;
        }
        int done = runCommands();
        done += fanOut.doWork();
        if (delayedSubscriptions.next() != DelayedMessages.NEVER) {
            long now = clockMs.getAsLong();
            if (delayedSubscriptions.next() <= now) {
                done += delayedSubscriptions.release(now, serviceQueue);
            }
        }
        return done + serviceQueue.serveAll(feeder::serve);
    }

    private int runCommands() {
        long until = clockMs.getAsLong() + TURN_MS;
        int done = 0;
        for (Runnable command;
                done < TURN_MAX && clockMs.getAsLong() < until && (command = commands.poll()) != null;
                done++) {
            command.run();
        }
        return done;
    }

    @Override
    public long restNanos() {
        if (delayedSubscriptions.next() == DelayedMessages.NEVER) {
            return Agent.super.restNanos();
        }
        long dueInMs = Math.max(0, delayedSubscriptions.next() - clockMs.getAsLong());
        return Math.min(Agent.super.restNanos(), TimeUnit.MILLISECONDS.toNanos(dueInMs));
    }

    @Override
    public void onClose() {
        owner.check();
        closeReaders.run();
    }

    /** Runs once everything handed in before is done. Thread: any; runs on the dispatcher's. */
    public void afterPresent(Runnable action) {
        put(() -> fanOut.afterPresent(action));
    }

    private void put(Runnable command) {
        commands.add(command);
        doorbell.ring();
    }

    // What the committer says

    @Override
    public void committed(List<Committed> messages, List<DispatchedTo> bounds, long itsEpoch) {
        put(() -> onCommitted(messages, bounds, itsEpoch));
    }

    private void onCommitted(List<Committed> messages, List<DispatchedTo> raised, long itsEpoch) {
        feeder.epoch(itsEpoch);
        for (Committed message : messages) {
            subscriptions.forEachOwed(message, this::arrived);
            if (message.first()) {
                giveToNotStored(message);
            }
        }
        for (DispatchedTo bound : raised) {
            SubscriptionState state = subscriptions.stored(bound.subscriptionId());
            if (state != null) {
                dispatchBounds.durable(state, bound);
                serviceQueue.add(state);
            }
        }
    }

    private void giveToNotStored(Committed message) {
        Address address = message.message().address();
        List<SubscriptionState> notStored = subscriptions.notStored(address);
        if (address.isQueue()) {
            // A temporary queue has one reader. It has the message now, since whoever comes next may browse.
            notStored.forEach(state -> arrived(state, message));
        } else if (!notStored.isEmpty()) {
            fanOut.add(message, notStored);
        }
    }

    private void arrived(SubscriptionState state, Committed message) {
        boolean isStored = state.subscription().isStored();
        Ready ready = ready(message, isStored ? message.sequence() : state.nextOrder++);
        if (isLater(message.message())) {
            state.owed().later(ready, message.message().deliverAt());
            delayedSubscriptions.add(state);
        } else {
            state.owed().arrived(ready, state.isAttended() && message.message().isHere());
        }
        if (!isStored) {
            publisherHolds.holdIfFull(state);
        }
        serviceQueue.add(state);
    }

    private void released(Address address) {
        fanOut.released(address);
    }

    private boolean isLater(Message message) {
        return message.deliverAt() != 0 && message.deliverAt() > clockMs.getAsLong();
    }

    private static Ready ready(Committed message, long order) {
        return new Ready(message.message(), order, message.group(), message.pending(), 0, false, null);
    }

    @Override
    public void settledElsewhere(List<Settle> settlements) {
        settlements.forEach(settlement -> put(() -> onSettledElsewhere(settlement)));
    }

    private void onSettledElsewhere(Settle settlement) {
        SubscriptionState state = subscriptions.stored(settlement.subscription().id());
        if (state != null && state.settledElsewhere(settlement.sequence())) {
            serviceQueue.add(state);
        }
    }

    @Override
    public void gateRaised(long newGate) {
        put(() -> {
            feeder.gate(newGate);
            subscriptions.forEachStored(state -> {
                if (!state.isAttended()) {
                    state.owed().gateRaised(newGate);
                } else if (!state.owed().isCaughtUp()) {
                    serviceQueue.add(state);
                }
            });
        });
    }

    @Override
    public void created(Address address) {
        put(() -> subscriptions.add(address));
    }

    @Override
    public void deleted(Address address) {
        put(() -> {
            fanOut.forget(address);
            subscriptions.remove(address).forEach(this::forget);
        });
    }

    @Override
    public void subscribed(Subscription subscription) {
        put(() -> {
            SubscriptionState state = subscriptions.add(subscription);
            state.bound = Math.max(0, subscription.fromSequence() - 1);
        });
    }

    @Override
    public void unsubscribed(Subscription subscription) {
        put(() -> {
            SubscriptionState state = subscriptions.remove(subscription);
            if (state != null) {
                forget(state);
            }
        });
    }

    /** It is gone, and what it owed. */
    private void forget(SubscriptionState state) {
        List.copyOf(state.consumers()).forEach(attached -> end(attached, gone(state.subscription())));
        browsers.end(state, gone(state.subscription()));
        state.owed().forget();
        feeder.unparked(state);
        publisherHolds.letGo(state);
    }

    private static Refusal gone(Subscription subscription) {
        return new Refusal(Refusal.Reason.NOT_FOUND, "RT-2202", subscription + " was deleted");
    }

    @Override
    public void fencePassed(Subscription subscription) {
        put(() -> {
            SubscriptionState state = subscriptions.stored(subscription.id());
            if (state != null) {
                state.fences--;
                serviceQueue.add(state);
            }
        });
    }

    // What consumers say

    @Override
    public void attach(Consumer consumer, Subscription subscription) {
        put(() -> onAttach(consumer, subscription));
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
        AttachedConsumer attached = new AttachedConsumer(
                consumer, state, settings.unsettledBytesMax(), unsettledBytes, () -> serviceQueue.add(state));
        consumers.put(consumer, attached);
        state.add(attached);
        counters.consumers(1);
    }

    @Override
    public void browse(Consumer consumer, Subscription subscription) {
        put(() -> {
            SubscriptionState state = subscriptions.find(subscription);
            if (state == null) {
                consumer.ended(gone(subscription));
                serviceQueue.wakeAtEnd(consumer.mailbox());
            } else {
                browsers.begin(consumer, state);
            }
        });
    }

    /** A topic's volatile ones begin and end with their consumers; a temporary queue's waits for the next one. */
    private static boolean endsUnattended(Subscription subscription) {
        return !subscription.isStored() && !subscription.address().isQueue();
    }

    @Override
    public void credit(Consumer consumer, long limit, boolean drain) {
        put(() -> {
            AttachedConsumer attached = consumers.get(consumer);
            if (attached != null) {
                attached.limit(limit, drain);
                serviceQueue.add(attached.subscription());
            } else {
                browsers.credit(consumer, limit, drain);
            }
        });
    }

    @Override
    public void accepted(Consumer consumer, Delivery delivery, Completion completion) {
        AttachedConsumer attached = consumers.get(consumer);
        if (attached == null || !attached.take(delivery)) {
            refuseLate(delivery, completion);
            put(() -> browsers.taken(consumer, delivery));
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
            put(() -> serviceQueue.add(attached.subscription()));
        }
    }

    @Override
    public Enlisted enlist(Consumer consumer, Delivery delivery) {
        AttachedConsumer attached = consumers.get(consumer);
        return attached == null ? null : enlistments.enlist(attached, delivery);
    }

    @Override
    public void committed(Enlisted enlisted) {
        enlistments.committed(enlisted);
    }

    @Override
    public void rolledBack(Enlisted enlisted, boolean failed) {
        enlistments.rolledBack(enlisted, failed);
    }

    /** It went back to its place when its consumer ended, and may be another one's by now. */
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

    /** Unless it went back when its consumer ended, or is over. */
    private void takeBack(Consumer consumer, Delivery delivery, Runnable action) {
        put(() -> {
            AttachedConsumer attached = consumers.get(consumer);
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
    public void detach(Consumer consumer, List<Delivery> unsettled, boolean lost) {
        put(() -> onDetach(consumer, unsettled, lost));
    }

    private void onDetach(Consumer consumer, List<Delivery> unsettled, boolean lost) {
        AttachedConsumer attached = consumers.remove(consumer);
        if (attached == null) {
            browsers.end(consumer);
            return; // or it was ended by the broker
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
                feeder.leaveToStore(state);
            } else if (endsUnattended(state.subscription())) {
                subscriptions.remove(state.subscription());
                forget(state);
            }
        }
        serviceQueue.add(state);
    }

    private void end(AttachedConsumer attached, Refusal refusal) {
        consumers.remove(attached.consumer());
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

    public DispatchCounters counters() {
        return counters;
    }

    /** Subscriptions that wait for an operator. Thread: any. */
    public List<ParkedSubscription> parked() {
        return feeder == null ? List.of() : feeder.parked();
    }

    /** Addresses whose messages should leave them and cannot. Thread: any. */
    public List<StuckAddress> stuckAddresses() {
        return moveBackOff.all();
    }

    /** Bytes of messages that consumers hold unsettled. Thread: any. */
    public long unsettledBytes() {
        return unsettledBytes.all();
    }

    /** Bytes of messages that wait in memory. Thread: any. */
    public long memoryBytes() {
        return budget.used();
    }
}
