package io.ringtable.broker.dispatch;

import io.ringtable.broker.agent.Agent;
import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.agent.ThreadOwner;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.browse.Browsers;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.consumer.MessageFormat;
import io.ringtable.broker.dispatch.fanout.FanOut;
import io.ringtable.broker.dispatch.fanout.PublisherHolds;
import io.ringtable.broker.dispatch.memory.MemoryBudget;
import io.ringtable.broker.dispatch.memory.UnsettledBytes;
import io.ringtable.broker.dispatch.readback.ReadPermits;
import io.ringtable.broker.dispatch.readback.StoreReader;
import io.ringtable.broker.dispatch.readback.SubscriptionReadBack;
import io.ringtable.broker.dispatch.redelivery.DeadLetters;
import io.ringtable.broker.dispatch.redelivery.Enlistments;
import io.ringtable.broker.dispatch.redelivery.MoveBackOff;
import io.ringtable.broker.dispatch.redelivery.PolicyMoves;
import io.ringtable.broker.dispatch.redelivery.Redeliveries;
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
 * both hand over and return, in order. Everything a turn puts into a connection's mailbox is followed by one wake-up.
 * While the lease is over no turn is taken: nothing is delivered, ended or answered.
 */
public final class Dispatcher implements Agent, CommitListener {
    /**
     * Steps that a turn takes for one subscription, and for all that is fanned out: a consumer that is looked at is a
     * step, a message that is looked through some more.
     */
    public static final int SLICE_STEPS = 4_096;

    /** A part of a turn (commands, fanning out, one subscription) is over when the clock has gone on by so much. */
    private static final long TURN_MS = 2;

    private static final int STORE_READERS = 2;

    private final DispatchSettings settings;
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
        this.format = format;
        this.clockMs = clockMs;
        this.lease = lease;
        this.commands = new CommandQueue(doorbell, TURN_MS, clockMs);
        this.budget = new MemoryBudget(settings.memoryBytesMax());
        this.unsettledBytes = new UnsettledBytes(settings.memoryBytesMax(), commands);
        this.subscriptions = new Subscriptions(settings.policies(), budget, settings.messagesInMemoryMax());
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

    /** Before the first turn. */
    public void recovered(Address address) {
        subscriptions.add(address);
    }

    /** Before the first turn: a stored subscription and what it owes. */
    public RecoveredSubscription recovered(Subscription subscription) {
        return new RecoveredSubscription(subscriptions.add(subscription), parked);
    }

    /**
     * Before the first turn: the two agents of a shard know each other, and the store is read on threads of its own.
     */
    public void begin(CommitterDoors doors, RingReads store, long epoch, long gate) {
        AtomicInteger number = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(
                STORE_READERS, task -> new Thread(task, "store-reader-" + number.incrementAndGet()));
        closeReaders = threads::shutdownNow;
        begin(doors, store, epoch, gate, threads);
    }

    /** @param storeReaders runs what is read back from the store */
    public void begin(CommitterDoors doors, RingReads store, long epoch, long gate, Executor storeReaders) {
        CommitterMailbox committer = doors.committer();
        Fences fences = new Fences(committer);
        DispatchBounds dispatchBounds = new DispatchBounds(committer);
        UnattendedSubscriptions unattended = new UnattendedSubscriptions(fences, dispatchBounds);
        StoreReader storeReader = new StoreReader(store, format, storeReaders);
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
                settings.unsettledBytesMax());
        changes = new DurableChanges(
                subscriptions, arrivals, fanOut, deliverer, readBack, dispatchBounds, consumers, serviceQueue);
        subscriptions.forEachStored(parked::checkSelector);
        subscriptions.forEachStored(delayedSubscriptions::add);
    }

    /** What consumers say comes through here; there is one from {@link #begin} on. */
    public DispatcherMailbox mailbox() {
        return consumers;
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

    /** Runs once everything handed in before is done. Thread: any; runs on the dispatcher's. */
    public void afterPresent(Runnable action) {
        commands.execute(() -> fanOut.afterPresent(action));
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

    /** Subscriptions that wait for an operator. Thread: any. */
    public List<ParkedSubscription> parked() {
        return parked.all();
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
