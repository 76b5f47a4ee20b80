package io.ringtable.broker.dispatch;

import io.ringtable.broker.agent.Agent;
import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.agent.ThreadOwner;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.store.Flush.DispatchedTo;
import io.ringtable.broker.store.RingReads;
import io.ringtable.broker.work.CommitListener;
import io.ringtable.broker.work.Committed;
import io.ringtable.broker.work.CommitterDoors;
import io.ringtable.broker.work.CommitterMailbox;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Settle;
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
 * Thread: {@code dispatcher}. Consumers come through {@link DispatcherInbox}, the committer through
 * {@link CommitListener}; both hand over and return, in order. Everything a turn puts into a connection's mailbox is
 * followed by one wake-up. While the lease is over no turn is taken: nothing is delivered, ended or answered.
 */
public final class Dispatcher implements Agent, DispatcherInbox, CommitListener {
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
    private final Readers readers;
    private final MemoryBudget budget;
    private final DispatchCounters counters = new DispatchCounters();
    private final Map<Consumer, CreditWindow> windows =
            new ConcurrentHashMap<>(); // written by dispatcher, read by consumers' threads
    private final UnsettledBytes unsettledBytes;
    private final Turn turn;
    private final Timetable timetable = new Timetable();
    private final Brake brake;
    private final FanOut fanOut;
    private final Setbacks setbacks;
    private CommitterMailbox committer;
    private Redeliveries redeliveries;
    private Enlistments enlistments;
    private Browsers browsers;
    private Bounds bounds;
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
        this.readers = new Readers(settings.policies(), budget, settings.windowMessagesMax());
        this.setbacks = new Setbacks(clockMs);
        this.turn = new Turn(clockMs);
        this.brake = new Brake(budget, settings.volatileMessagesMax(), this::released);
        this.fanOut = new FanOut(budget, brake::holds, this::arrived, turn::wake, slice());
    }

    private Slice slice() {
        return new Slice(sliceSteps, TURN_MS, clockMs);
    }

    /** Before the first turn: the two agents of a shard know each other, and read back on threads of their own. */
    public void begin(CommitterDoors doors, RingReads store, long itsEpoch, long itsGate) {
        AtomicInteger number = new AtomicInteger();
        ExecutorService threads =
                Executors.newFixedThreadPool(2, task -> new Thread(task, "reader-" + number.incrementAndGet()));
        closeReaders = threads::shutdownNow;
        begin(doors, store, itsEpoch, itsGate, threads);
    }

    /** @param readBacks runs what is read back from the store */
    public void begin(CommitterDoors doors, RingReads store, long itsEpoch, long itsGate, Executor readBacks) {
        committer = doors.committer();
        bounds = new Bounds(committer);
        ReadBack readBack = new ReadBack(store, format, readBacks);
        ReadTurns readTurns = new ReadTurns();
        Burials burials = new Burials(new DeadLetters(doors, format, clockMs), readers, turn, setbacks, this::put);
        feeder = new Feeder(
                committer, readBack, readTurns, bounds, brake, fanOut, burials, timetable, turn, counters, slice(),
                clockMs, this::put);
        redeliveries =
                new Redeliveries(committer, burials, readers, feeder, turn, timetable, setbacks, counters, clockMs);
        enlistments = new Enlistments(readers, redeliveries, turn, this::put);
        browsers = new Browsers(readBack, readTurns, feeder::gate, clockMs, this::put, turn, unsettledBytes);
        feeder.epoch(itsEpoch);
        feeder.gate(itsGate);
        readers.forEachDamaged(feeder::foundDamaged);
        readers.forEachStored(feeder::foundUnreadable);
        readers.forEachStored(timetable::add);
    }

    /** Before the first turn. */
    public void recovered(Address address) {
        readers.add(address);
    }

    /** Before the first turn: a stored subscription and what it owes. */
    public RecoveredSubscription recovered(Subscription subscription) {
        return new RecoveredSubscription(readers.add(subscription));
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
        if (timetable.next() != Schedule.NEVER) {
            long now = clockMs.getAsLong();
            if (timetable.next() <= now) {
                done += timetable.release(now, turn);
            }
        }
        return done + turn.finish(feeder::serve);
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
        if (timetable.next() == Schedule.NEVER) {
            return Agent.super.restNanos();
        }
        long dueInMs = Math.max(0, timetable.next() - clockMs.getAsLong());
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
            readers.forEachOwed(message, this::arrived);
            if (message.first()) {
                giveToNotStored(message);
            }
        }
        for (DispatchedTo bound : raised) {
            SubscriptionState state = readers.stored(bound.subscriptionId());
            if (state != null) {
                bounds.durable(state, bound);
                turn.wake(state);
            }
        }
    }

    private void giveToNotStored(Committed message) {
        Address address = message.message().address();
        List<SubscriptionState> notStored = readers.notStored(address);
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
            timetable.add(state);
        } else {
            state.owed().arrived(ready, state.isAttended() && message.message().isHere());
        }
        if (!isStored) {
            brake.holdIfFull(state);
        }
        turn.wake(state);
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
        SubscriptionState state = readers.stored(settlement.subscription().id());
        if (state != null && state.settledElsewhere(settlement.sequence())) {
            turn.wake(state);
        }
    }

    @Override
    public void gateRaised(long newGate) {
        put(() -> {
            feeder.gate(newGate);
            readers.forEachStored(state -> {
                if (!state.isAttended()) {
                    state.owed().gateRaised(newGate);
                } else if (!state.owed().isCaughtUp()) {
                    turn.wake(state);
                }
            });
        });
    }

    @Override
    public void created(Address address) {
        put(() -> readers.add(address));
    }

    @Override
    public void deleted(Address address) {
        put(() -> {
            fanOut.forget(address);
            readers.remove(address).forEach(this::forget);
        });
    }

    @Override
    public void subscribed(Subscription subscription) {
        put(() -> {
            SubscriptionState state = readers.add(subscription);
            state.bound = Math.max(0, subscription.fromSequence() - 1);
        });
    }

    @Override
    public void unsubscribed(Subscription subscription) {
        put(() -> {
            SubscriptionState state = readers.remove(subscription);
            if (state != null) {
                forget(state);
            }
        });
    }

    /** It is gone, and what it owed. */
    private void forget(SubscriptionState state) {
        List.copyOf(state.consumers()).forEach(window -> end(window, gone(state.subscription())));
        browsers.end(state, gone(state.subscription()));
        state.owed().forget();
        feeder.unparked(state);
        brake.letGo(state);
    }

    private static Refusal gone(Subscription subscription) {
        return new Refusal(Refusal.Reason.NOT_FOUND, "RT-2202", subscription + " was deleted");
    }

    @Override
    public void fencePassed(Subscription subscription) {
        put(() -> {
            SubscriptionState state = readers.stored(subscription.id());
            if (state != null) {
                state.fences--;
                turn.wake(state);
            }
        });
    }

    // What consumers say

    @Override
    public void attach(Consumer consumer, Subscription subscription) {
        put(() -> onAttach(consumer, subscription));
    }

    private void onAttach(Consumer consumer, Subscription subscription) {
        SubscriptionState state =
                endsUnattended(subscription) ? readers.addVolatile(subscription) : readers.find(subscription);
        Refusal refusal = null;
        if (state == null) {
            refusal = gone(subscription);
        } else if (state.isAttended() && !subscription.shared()) {
            refusal =
                    new Refusal(Refusal.Reason.NOT_ALLOWED, "RT-2203", subscription + " is in use by another consumer");
        }
        if (refusal != null) {
            consumer.ended(refusal);
            turn.touch(consumer.mailbox());
            return;
        }
        CreditWindow window =
                new CreditWindow(consumer, state, settings.unsettledBytesMax(), unsettledBytes, () -> turn.wake(state));
        windows.put(consumer, window);
        state.add(window);
        counters.consumers(1);
    }

    @Override
    public void browse(Consumer consumer, Subscription subscription) {
        put(() -> {
            SubscriptionState state = readers.find(subscription);
            if (state == null) {
                consumer.ended(gone(subscription));
                turn.touch(consumer.mailbox());
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
            CreditWindow window = windows.get(consumer);
            if (window != null) {
                window.limit(limit, drain);
                turn.wake(window.subscription());
            } else {
                browsers.credit(consumer, limit, drain);
            }
        });
    }

    @Override
    public void accepted(Consumer consumer, Delivery delivery, Completion completion) {
        CreditWindow window = windows.get(consumer);
        if (window == null || !window.take(delivery)) {
            refuseLate(delivery, completion);
            put(() -> browsers.taken(consumer, delivery));
            return;
        }
        window.forgetSettledElsewhere(delivery);
        if (delivery.subscription().isStored()) {
            committer.settle(delivery.settlement(), completion);
        } else if (completion != null) {
            completion.accepted();
            completion.mailbox().wake();
        }
        if (window.settled(delivery)) {
            put(() -> turn.wake(window.subscription()));
        }
    }

    @Override
    public Enlisted enlist(Consumer consumer, Delivery delivery) {
        CreditWindow window = windows.get(consumer);
        return window == null ? null : enlistments.enlist(window, delivery);
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
            CreditWindow window = windows.get(consumer);
            if (window != null && window.take(delivery)) {
                if (window.settled(delivery)) {
                    turn.wake(window.subscription());
                }
                if (!window.forgetSettledElsewhere(delivery)) {
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
        CreditWindow window = windows.remove(consumer);
        if (window == null) {
            browsers.end(consumer);
            return; // or it was ended by the broker
        }
        SubscriptionState state = window.subscription();
        state.remove(window);
        counters.consumers(-1);
        Set<Delivery> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        seen.addAll(unsettled);
        for (Delivery delivery : window.unsettled()) {
            boolean maybeSeen = lost && seen.contains(delivery);
            if (window.take(delivery)) {
                window.settled(delivery);
                if (!window.forgetSettledElsewhere(delivery)) {
                    redeliveries.giveBack(delivery, maybeSeen || delivery.redelivered());
                }
            }
        }
        window.end();
        if (!state.isAttended()) {
            if (state.subscription().isStored()) {
                feeder.leaveToStore(state);
            } else if (endsUnattended(state.subscription())) {
                readers.remove(state.subscription());
                forget(state);
            }
        }
        turn.wake(state);
    }

    private void end(CreditWindow window, Refusal refusal) {
        windows.remove(window.consumer());
        window.subscription().remove(window);
        for (Delivery delivery : window.unsettled()) {
            if (window.take(delivery)) {
                window.settled(delivery);
            }
        }
        window.end();
        counters.consumers(-1);
        window.consumer().ended(refusal);
        turn.touch(window.consumer().mailbox());
    }

    public DispatchCounters counters() {
        return counters;
    }

    /** Subscriptions that wait for an operator. Thread: any. */
    public List<ParkedSubscription> parked() {
        return feeder == null ? List.of() : feeder.parked();
    }

    /** Addresses whose messages should leave them and cannot. Thread: any. */
    public List<SetBack> setBacks() {
        return setbacks.all();
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
