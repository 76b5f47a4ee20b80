package io.ringtable.broker.dispatch;

import io.ringtable.broker.agent.Agent;
import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.agent.ThreadNames;
import io.ringtable.broker.agent.ThreadOwner;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.config.DispatchProperties;
import io.ringtable.broker.dispatch.browse.Browsers;
import io.ringtable.broker.dispatch.browse.VolatileMessages;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.consumer.MessageFormat;
import io.ringtable.broker.dispatch.explain.Explainer;
import io.ringtable.broker.dispatch.fanout.FanOut;
import io.ringtable.broker.dispatch.fanout.PublisherHolds;
import io.ringtable.broker.dispatch.memory.MemoryBudget;
import io.ringtable.broker.dispatch.memory.UnsettledBytes;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.readback.ReadPermits;
import io.ringtable.broker.dispatch.readback.StoreReader;
import io.ringtable.broker.dispatch.readback.SubscriptionReadBack;
import io.ringtable.broker.dispatch.redelivery.DeadLetters;
import io.ringtable.broker.dispatch.redelivery.Enlistments;
import io.ringtable.broker.dispatch.redelivery.MoveBackOff;
import io.ringtable.broker.dispatch.redelivery.PolicyMoves;
import io.ringtable.broker.dispatch.redelivery.Redeliveries;
import io.ringtable.broker.dispatch.redelivery.Removals;
import io.ringtable.broker.dispatch.redelivery.StuckAddress;
import io.ringtable.broker.dispatch.subscription.DelayedSubscriptions;
import io.ringtable.broker.dispatch.subscription.DispatchBounds;
import io.ringtable.broker.dispatch.subscription.DispatchCounters;
import io.ringtable.broker.dispatch.subscription.Fences;
import io.ringtable.broker.dispatch.subscription.ParkedSubscription;
import io.ringtable.broker.dispatch.subscription.ParkedSubscriptions;
import io.ringtable.broker.dispatch.subscription.ServiceQueue;
import io.ringtable.broker.dispatch.subscription.Subscriptions;
import io.ringtable.broker.dispatch.subscription.UnattendedSubscriptions;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.store.Flush.DispatchBound;
import io.ringtable.broker.store.RingReads;
import io.ringtable.broker.work.CommitListener;
import io.ringtable.broker.work.Committed;
import io.ringtable.broker.work.CommitterDoors;
import io.ringtable.broker.work.CommitterMailbox;
import io.ringtable.broker.work.Settle;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Gives what is durable to consumers within their credit, and takes back what they do not settle.
 * <p>
 * Thread: {@code dispatcher}. Consumers come through {@link #mailbox}, the committer through {@link CommitListener};
 * both hand over in order, and return. At its end a turn wakes each connection that got something, once. While the
 * lease is over, the dispatcher takes no turn: it delivers, ends and answers nothing.
 */
public final class Dispatcher implements Agent, CommitListener {
    /**
     * Bounds the steps of a slice, which a turn takes for one subscription or for all that it fans out. Asking a
     * consumer is one step, evaluating a selector several.
     */
    public static final int SLICE_STEPS = 4_096;

    /** Bounds the time of each part of a turn: commands, fanning out, or one subscription. */
    private static final long TURN_MS = 2;

    private static final int STORE_READERS = 2;

    private final DispatchProperties settings;
    private final int sliceSteps;
    private final MessageFormat format;
    private final LongSupplier clockMs;
    private final Lease lease;
    private final ThreadOwner owner = new ThreadOwner("the dispatcher's state");
    private final CommandQueue commands;
    private final MemoryBudget budget;
    private final UnsettledBytes unsettledBytes;
    private final Subscriptions subscriptions;
    private final ParkedSubscriptions parked = new ParkedSubscriptions();
    private final DelayedSubscriptions delayedSubscriptions = new DelayedSubscriptions();
    private final ServiceQueue serviceQueue;
    private final MoveBackOff moveBackOff;
    private final DispatchCounters counters = new DispatchCounters();
    private final PublisherHolds publisherHolds;
    private final Arrivals arrivals;
    private final FanOut fanOut;
    private Deliverer deliverer;
    private ConsumerCommands consumers;
    private DurableChanges changes;
    private Explainer explainer;
    private Removals removals;
    private VolatileMessages volatileMessages;
    private Runnable closeReaders = () -> {};

    /**
     * @param policies what becomes of messages, by address
     * @param sliceSteps {@link #SLICE_STEPS}, or fewer for tests that interrupt everything; at least 1
     * @param clockMs ms since the epoch
     * @param lease consumers see nothing once it is over
     */
    public Dispatcher(
            DispatchProperties settings,
            AddressPolicies policies,
            int sliceSteps,
            Doorbell doorbell,
            MessageFormat format,
            LongSupplier clockMs,
            Lease lease) {
        this.settings = settings;
        this.sliceSteps = sliceSteps;
        this.format = format;
        this.clockMs = clockMs;
        this.lease = lease;
        this.commands = new CommandQueue(doorbell, TURN_MS, clockMs);
        long memoryBytesMax = settings.memoryBytesMax().toBytes();
        this.budget = new MemoryBudget(memoryBytesMax);
        this.unsettledBytes = new UnsettledBytes(memoryBytesMax, commands);
        this.subscriptions = new Subscriptions(policies, budget, settings.windowMessagesMax());
        this.serviceQueue = new ServiceQueue(clockMs);
        this.moveBackOff = new MoveBackOff(clockMs);
        this.publisherHolds = new PublisherHolds(budget, settings.volatileMessagesMax(), this::released);
        this.arrivals = new Arrivals(delayedSubscriptions, publisherHolds, serviceQueue, clockMs);
        this.fanOut = new FanOut(budget, publisherHolds::holds, arrivals::arrived, serviceQueue::add, slice());
    }

    private void released(Address address) {
        fanOut.released(address);
    }

    private Slice slice() {
        return new Slice(sliceSteps, TURN_MS, clockMs);
    }

    // ---- before the first turn

    /** Adds an address that recovery found, before the first turn. */
    public void recovered(Address address) {
        subscriptions.add(address);
    }

    /** Adds a stored subscription that recovery found, before the first turn. The result takes what it owes. */
    public RecoveredSubscription recovered(Subscription subscription) {
        return new RecoveredSubscription(subscriptions.add(subscription), parked);
    }

    /**
     * Connects the dispatcher to the committer and to the store, before the first turn. Reads of the store run on
     * threads of their own.
     *
     * @param shard number of the shard, by which these threads are named
     */
    public void begin(int shard, CommitterDoors doors, RingReads store, long epoch, long gate) {
        AtomicInteger number = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(
                STORE_READERS,
                task -> new Thread(task, ThreadNames.of("store-reader", shard) + "-" + number.incrementAndGet()));
        closeReaders = threads::shutdownNow;
        begin(doors, store, epoch, gate, threads, StoreReader.later(threads));
    }

    /**
     * @param storeReaders runs the reads of the store
     * @param later runs the next try of a read that failed
     */
    public void begin(
            CommitterDoors doors, RingReads store, long epoch, long gate, Executor storeReaders, Executor later) {
        CommitterMailbox committer = doors.committer();
        Fences fences = new Fences(committer);
        DispatchBounds dispatchBounds = new DispatchBounds(committer);
        UnattendedSubscriptions unattended = new UnattendedSubscriptions(fences, dispatchBounds);
        StoreReader storeReader = new StoreReader(store, doors.logins(), format, storeReaders, later);
        ReadPermits readPermits = new ReadPermits();
        SubscriptionReadBack readBack = new SubscriptionReadBack(
                storeReader,
                readPermits,
                gate,
                fences,
                parked,
                delayedSubscriptions,
                serviceQueue,
                counters,
                clockMs,
                commands);
        PolicyMoves policyMoves = new PolicyMoves(
                new DeadLetters(doors, format, clockMs), subscriptions, serviceQueue, moveBackOff, commands);
        deliverer = new Deliverer(
                committer,
                epoch,
                readBack,
                dispatchBounds,
                publisherHolds,
                fanOut,
                policyMoves,
                delayedSubscriptions,
                serviceQueue,
                counters,
                slice(),
                clockMs);
        Redeliveries redeliveries = new Redeliveries(
                committer,
                policyMoves,
                subscriptions,
                unattended,
                serviceQueue,
                delayedSubscriptions,
                moveBackOff,
                counters,
                clockMs);
        consumers = new ConsumerCommands(
                commands,
                committer,
                subscriptions,
                unattended,
                parked,
                publisherHolds,
                redeliveries,
                new Enlistments(subscriptions, redeliveries, serviceQueue, commands),
                new Browsers(storeReader, readPermits, readBack::gate, clockMs, commands, serviceQueue, unsettledBytes),
                serviceQueue,
                counters,
                unsettledBytes,
                settings.unsettledBytesMax().toBytes(),
                fanOut::isWaiting);
        changes = new DurableChanges(
                subscriptions, arrivals, fanOut, deliverer, readBack, dispatchBounds, consumers, serviceQueue);
        explainer = new Explainer(subscriptions, parked, moveBackOff, doors.lookup(), slice(), clockMs, commands);
        removals = new Removals(committer, subscriptions, serviceQueue, deliverer::epoch, commands);
        volatileMessages = new VolatileMessages(subscriptions, slice(), commands);
        subscriptions.forEachStored(parked::checkSelector);
        subscriptions.forEachStored(delayedSubscriptions::add);
    }

    /** Returns the mailbox for consumers, which exists from {@link #begin} on. */
    public DispatcherMailbox mailbox() {
        return consumers;
    }

    /** Returns what says why nothing is delivered; it exists from {@link #begin} on. Thread: any. */
    public Explainer explainer() {
        return explainer;
    }

    /** Returns what settles messages for operators; it exists from {@link #begin} on. Thread: any. */
    public Removals removals() {
        return removals;
    }

    /** Returns what shows messages that only memory has; it exists from {@link #begin} on. Thread: any. */
    public VolatileMessages volatileMessages() {
        return volatileMessages;
    }

    // ---- turns

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
        int done = commands.run();
        done += fanOut.doWork();
        if (delayedSubscriptions.next() != DelayedSubscriptions.NEVER) {
            long now = clockMs.getAsLong();
            if (delayedSubscriptions.next() <= now) {
                done += delayedSubscriptions.release(now, serviceQueue);
            }
        }
        return done + serviceQueue.serveAll(deliverer::serve);
    }

    @Override
    public long restNanos() {
        if (delayedSubscriptions.next() == DelayedSubscriptions.NEVER) {
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

    /** Runs the action once everything handed in before is done. Thread: any; the action runs on the dispatcher's. */
    public void afterPresent(Runnable action) {
        commands.execute(() -> fanOut.afterPresent(action));
    }

    /** Takes other policies for all subscriptions, in the order of what the committer says. Thread: any. */
    public void policies(AddressPolicies others) {
        commands.execute(() -> subscriptions.policies(others, serviceQueue::add));
    }

    // ---- what the committer says

    @Override
    public void committed(List<Committed> messages, List<DispatchBound> bounds, long epoch) {
        commands.execute(() -> changes.committed(messages, bounds, epoch));
    }

    @Override
    public void settledElsewhere(List<Settle> settlements) {
        settlements.forEach(settlement -> commands.execute(() -> changes.settledElsewhere(settlement)));
    }

    @Override
    public void gateRaised(long gate) {
        commands.execute(() -> changes.gateRaised(gate));
    }

    @Override
    public void created(Address address) {
        commands.execute(() -> changes.created(address));
    }

    @Override
    public void deleted(Address address) {
        commands.execute(() -> changes.deleted(address));
    }

    @Override
    public void subscribed(Subscription subscription) {
        commands.execute(() -> changes.subscribed(subscription));
    }

    @Override
    public void unsubscribed(Subscription subscription) {
        commands.execute(() -> changes.unsubscribed(subscription));
    }

    @Override
    public void fencePassed(Subscription subscription) {
        commands.execute(() -> changes.fencePassed(subscription));
    }

    // ---- what status asks

    public DispatchCounters counters() {
        return counters;
    }

    /** Returns the subscriptions that wait for an operator. Thread: any. */
    public List<ParkedSubscription> parked() {
        return parked.all();
    }

    /** Returns the addresses whose messages should leave them and cannot. Thread: any. */
    public List<StuckAddress> stuckAddresses() {
        return moveBackOff.all();
    }

    /** Returns the bytes of messages that consumers hold unsettled. Thread: any. */
    public long unsettledBytes() {
        return unsettledBytes.all();
    }

    /** Returns the bytes of messages that wait in memory. Thread: any. */
    public long memoryBytes() {
        return budget.used();
    }
}
