package io.ringtable.broker.dispatch;

import io.ringtable.broker.agent.Agent;
import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.agent.ThreadOwner;
import io.ringtable.broker.catalog.Address;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.commit.CommitListener;
import io.ringtable.broker.commit.Committed;
import io.ringtable.broker.commit.Committer;
import io.ringtable.broker.commit.Completion;
import io.ringtable.broker.commit.Mailbox;
import io.ringtable.broker.commit.Settle;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.Flush.DispatchedTo;
import io.ringtable.broker.store.RingStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives what is durable to consumers within their credit, and takes back what they do not settle.
 * <p>
 * Thread: {@code dispatcher}. Consumers come through {@link DispatcherInbox}, the committer through
 * {@link CommitListener}; both hand over and return, in order. Everything a turn puts into a connection's mailbox is
 * followed by one wake-up.
 */
public final class Dispatcher implements Agent, DispatcherInbox, CommitListener {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
    private static final int TURN_MAX = 1_000;

    private final DispatchSettings settings;
    private final Doorbell doorbell;
    private final LongSupplier clockMs;
    private final DeadLetterEncoder encoder;
    private final Queue<Runnable> commands = new MpscUnboundedAtomicArrayQueue<>(1024);
    private final ThreadOwner owner = new ThreadOwner("the dispatcher's state");
    private final Readers readers;
    private final MemoryBudget budget;
    private final DispatchCounters counters = new DispatchCounters();
    private final Map<Consumer, CreditWindow> windows =
            new ConcurrentHashMap<>(); // written by dispatcher, read by consumers' threads
    private final List<SubscriptionState> dirty = new ArrayList<>();
    private final Set<Mailbox> touched = Collections.newSetFromMap(new IdentityHashMap<>());
    private Committer committer;
    private DeadLetters deadLetters;
    private ReadBack readBack;
    private long epoch;
    private long gate;

    /** @param clockMs ms since the epoch */
    public Dispatcher(DispatchSettings settings, Doorbell doorbell, DeadLetterEncoder encoder, LongSupplier clockMs) {
        this.settings = settings;
        this.doorbell = doorbell;
        this.encoder = encoder;
        this.clockMs = clockMs;
        this.budget = new MemoryBudget(settings.memoryBytesMax());
        this.readers = new Readers(budget, settings.windowMessagesMax());
    }

    /** Before the first turn: the two agents of a shard know each other. */
    public void begin(Committer itsCommitter, RingStore store, long itsEpoch, long itsGate) {
        committer = itsCommitter;
        deadLetters = new DeadLetters(committer.catalog(), committer, encoder, settings.deadLetterQueue(), clockMs);
        readBack = new ReadBack(store);
        epoch = itsEpoch;
        gate = itsGate;
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
        int done = 0;
        for (Runnable command; done < TURN_MAX && (command = commands.poll()) != null; done++) {
            command.run();
        }
        for (int i = 0; i < dirty.size(); i++) { // serving one may make another wait
            SubscriptionState state = dirty.get(i);
            state.dirty = false;
            serve(state);
        }
        dirty.clear();
        touched.forEach(Mailbox::wake);
        touched.clear();
        return done;
    }

    @Override
    public void onClose() {
        readBack.close();
    }

    /** Runs once everything handed in before is done. Thread: any; runs on the dispatcher's. */
    public void afterPresent(Runnable action) {
        put(action);
    }

    private void put(Runnable command) {
        commands.add(command);
        doorbell.ring();
    }

    private void wake(SubscriptionState state) {
        if (!state.dirty) {
            state.dirty = true;
            dirty.add(state);
        }
    }

    // What the committer says

    @Override
    public void committed(List<Committed> messages, List<DispatchedTo> bounds, long itsEpoch) {
        put(() -> onCommitted(messages, bounds, itsEpoch));
    }

    private void onCommitted(List<Committed> messages, List<DispatchedTo> bounds, long itsEpoch) {
        epoch = itsEpoch;
        for (Committed message : messages) {
            readers.forEach(message, this::arrived);
        }
        for (DispatchedTo bound : bounds) {
            SubscriptionState state = readers.stored(bound.subscriptionId());
            if (state != null) {
                state.bound = bound.sequence() == DispatchedTo.FOLLOWS ? Long.MAX_VALUE : bound.sequence();
                state.boundRequested = false;
                wake(state);
            }
        }
    }

    private void arrived(SubscriptionState state, Committed message) {
        if (state.subscription().isStored()) {
            state.owed().arrived(ready(message, message.sequence()), state.isAttended());
        } else {
            state.owed().arrivedVolatile(ready(message, state.nextOrder++));
            holdIfFull(state);
        }
        wake(state);
    }

    private static Ready ready(Committed message, long order) {
        return new Ready(message.message(), order, message.group(), message.pending(), 0, false, null);
    }

    /** A volatile subscription has no store to fall back to: its topic's publishers wait for it. */
    private void holdIfFull(SubscriptionState state) {
        boolean full = state.volatileWaiting() > settings.volatileMessagesMax() || !budget.hasRoom();
        if (full && !state.holding) {
            state.holding = true;
            state.subscription().address().quota().hold();
        }
    }

    private void resumeIfRoom(SubscriptionState state) {
        if (state.holding && state.volatileWaiting() <= settings.volatileMessagesMax() / 2) {
            state.holding = false;
            state.subscription().address().quota().resume();
        }
    }

    @Override
    public void gateRaised(long newGate) {
        put(() -> {
            gate = newGate;
            readers.forEachStored(state -> {
                state.owed().gateRaised(newGate);
                wake(state);
            });
        });
    }

    @Override
    public void created(Address address) {
        put(() -> readers.add(address));
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
                List.copyOf(state.consumers()).forEach(window -> end(window, gone(subscription)));
                state.owed().forget();
            }
        });
    }

    private static Refusal gone(Subscription subscription) {
        return new Refusal(Refusal.Reason.NOT_FOUND, "RT-2202", subscription + " was deleted");
    }

    @Override
    public void fencePassed(Subscription subscription) {
        put(() -> {
            SubscriptionState state = readers.stored(subscription.id());
            if (state != null) {
                state.fenced = false;
                wake(state);
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
                subscription.isStored() ? readers.stored(subscription.id()) : readers.addVolatile(subscription);
        Refusal refusal = null;
        if (state == null) {
            refusal = gone(subscription);
        } else if (state.isAttended() && !subscription.shared()) {
            refusal =
                    new Refusal(Refusal.Reason.NOT_ALLOWED, "RT-2203", subscription + " is in use by another consumer");
        }
        if (refusal != null) {
            consumer.ended(refusal);
            touched.add(consumer.mailbox());
            return;
        }
        CreditWindow window = new CreditWindow(consumer, state, settings.unsettledBytesMax());
        windows.put(consumer, window);
        state.add(window);
        counters.consumers(1);
    }

    @Override
    public void credit(Consumer consumer, long limit, boolean drain) {
        put(() -> {
            CreditWindow window = windows.get(consumer);
            if (window != null) {
                window.limit(limit, drain);
                wake(window.subscription());
            }
        });
    }

    @Override
    public void accepted(Consumer consumer, Delivery delivery, Completion completion) {
        if (delivery.subscription().isStored()) {
            committer.settle(settle(delivery), completion);
        } else if (completion != null) {
            completion.accepted();
            completion.mailbox().wake();
        }
        CreditWindow window = windows.get(consumer);
        if (window != null && window.settled(delivery)) {
            put(() -> wake(window.subscription()));
        }
    }

    private static Settle settle(Delivery delivery) {
        return new Settle(
                delivery.subscription(),
                delivery.sequence(),
                delivery.epoch(),
                delivery.group(),
                delivery.pending(),
                delivery.message().bytes(),
                delivery.message().bodyId(),
                delivery.failures());
    }

    @Override
    public void released(Consumer consumer, Delivery delivery) {
        put(() -> {
            settledBy(consumer, delivery);
            giveBack(delivery, delivery.failures(), delivery.redelivered(), null);
        });
    }

    @Override
    public void modified(Consumer consumer, Delivery delivery, boolean failed, boolean notHere) {
        put(() -> {
            settledBy(consumer, delivery);
            onModified(consumer, delivery, failed, notHere);
        });
    }

    private void onModified(Consumer consumer, Delivery delivery, boolean failed, boolean notHere) {
        int failures = delivery.failures() + (failed ? 1 : 0);
        Subscription subscription = delivery.subscription();
        if (failed && failures >= settings.deliveriesMax() && deadLetters.takes(subscription)) {
            bury(delivery, failures, failures + " deliveries failed, " + settings.deliveriesMax() + " are allowed");
            return;
        }
        if (failed && subscription.isStored()) {
            committer.failed(new Flush.Redelivery(delivery.sequence(), subscription.id(), failures, 0));
        }
        giveBack(delivery, failures, failed || delivery.redelivered(), notHere ? consumer : null);
    }

    @Override
    public void rejected(Consumer consumer, Delivery delivery, String reason) {
        put(() -> {
            settledBy(consumer, delivery);
            if (deadLetters.takes(delivery.subscription())) {
                bury(
                        delivery,
                        delivery.failures(),
                        reason == null ? "rejected by its consumer" : "rejected by its consumer: " + reason);
            } else {
                giveBack(delivery, delivery.failures(), true, null);
            }
        });
    }

    private void settledBy(Consumer consumer, Delivery delivery) {
        CreditWindow window = windows.get(consumer);
        if (window != null && window.settled(delivery)) {
            wake(window.subscription());
        }
    }

    private void bury(Delivery delivery, int failures, String reason) {
        SubscriptionState state = readers.find(delivery.subscription());
        if (state == null) {
            return; // unsubscribed meanwhile: nobody owes it
        }
        state.owed().leaves(delivery.sequence());
        Delivery last = new Delivery(
                delivery.message(),
                delivery.subscription(),
                delivery.sequence(),
                delivery.group(),
                delivery.pending(),
                delivery.epoch(),
                failures,
                true);
        Settle settlement = delivery.subscription().isStored() ? settle(delivery) : null;
        deadLetters.move(last, settlement, reason, refusal -> put(() -> buried(delivery, reason, refusal)));
    }

    private void buried(Delivery delivery, String reason, Refusal refusal) {
        if (refusal != null) {
            LOG.warn("{} keeps message {} ({}): {}", delivery.subscription(), delivery.sequence(), reason, refusal);
            giveBack(delivery, delivery.failures(), true, null);
            return;
        }
        counters.deadLetter();
        SubscriptionState state = readers.find(delivery.subscription());
        if (state != null) {
            state.owed().hasLeft(delivery.sequence());
        }
    }

    private void giveBack(Delivery delivery, int failures, boolean redelivered, Consumer notHere) {
        SubscriptionState state = readers.find(delivery.subscription());
        if (state == null) {
            return; // unsubscribed meanwhile: nobody owes it
        }
        state.owed()
                .giveBack(new Ready(
                        delivery.message(),
                        delivery.sequence(),
                        delivery.group(),
                        delivery.pending(),
                        failures,
                        redelivered,
                        notHere));
        if (!state.isAttended()) {
            leaveToStore(state);
        }
        wake(state);
    }

    @Override
    public void detach(Consumer consumer, List<Delivery> unsettled, boolean lost) {
        put(() -> onDetach(consumer, unsettled, lost));
    }

    private void onDetach(Consumer consumer, List<Delivery> unsettled, boolean lost) {
        CreditWindow window = windows.remove(consumer);
        if (window == null) {
            return; // it was ended by the broker
        }
        SubscriptionState state = window.subscription();
        state.remove(window);
        counters.consumers(-1);
        for (Delivery delivery : unsettled) {
            giveBack(delivery, delivery.failures(), lost || delivery.redelivered(), null);
        }
        if (!state.isAttended()) {
            if (state.subscription().isStored()) {
                leaveToStore(state);
            } else {
                removeVolatile(state);
            }
        }
        wake(state);
    }

    private void end(CreditWindow window, Refusal refusal) {
        windows.remove(window.consumer());
        window.subscription().remove(window);
        counters.consumers(-1);
        window.consumer().ended(refusal);
        touched.add(window.consumer().mailbox());
    }

    private void removeVolatile(SubscriptionState state) {
        readers.remove(state.subscription());
        state.owed().forget();
        if (state.holding) {
            state.holding = false;
            state.subscription().address().quota().resume();
        }
    }

    /** Nobody reads it: its messages wait in the store, and what was never delivered is not to be flagged. */
    private void leaveToStore(SubscriptionState state) {
        state.owed().leaveToStore(gate);
        state.reading = false;
        state.fenced = true; // what was settled a moment ago must not be read as owed
        committer.fence(state.subscription());
        long delivered = Math.max(0, state.highestDelivered);
        if (state.bound > delivered) {
            state.bound = delivered;
            committer.bound(new DispatchedTo(state.subscription().id(), state.bound));
        }
    }

    // Serving

    private void serve(SubscriptionState state) {
        deliverReady(state);
        if (state.owed().wantsReadBack() && state.isAttended() && !state.reading && !state.fenced) {
            readBack(state);
        }
        resumeIfRoom(state);
        answerDrains(state);
    }

    private void deliverReady(SubscriptionState state) {
        for (CreditWindow window; (window = state.nextConsumer()) != null; ) {
            Ready ready = state.owed().peek(window.consumer());
            if (ready.sequence() > state.bound) {
                raiseBound(state, ready.sequence());
                return;
            }
            state.owed().take(ready);
            state.highestDelivered = Math.max(state.highestDelivered, ready.sequence());
            window.deliver(new Delivery(
                    ready.message(),
                    state.subscription(),
                    ready.sequence(),
                    ready.group(),
                    ready.pending(),
                    epoch,
                    ready.failures(),
                    ready.redelivered()));
            counters.delivered(ready.redelivered());
            touched.add(window.consumer().mailbox());
        }
    }

    /** What may have been delivered must be durable before it is: else a crash would bring it again without a flag. */
    private void raiseBound(SubscriptionState state, long sequence) {
        if (!state.boundRequested) {
            state.boundRequested = true;
            long target = state.owed().isCaughtUp() ? DispatchedTo.FOLLOWS : sequence + BOUND_STEP;
            committer.bound(new DispatchedTo(state.subscription().id(), target));
        }
    }

    private static final long BOUND_STEP = 8_192;

    private void readBack(SubscriptionState state) {
        state.reading = true;
        Subscription subscription = state.subscription();
        OwedSet owed = state.owed();
        long ticket = ++state.readTicket;
        if (owed.isInBacklog()) {
            readBack.backlog(
                    subscription,
                    owed.taken(),
                    (messages, exhausted) -> put(() -> onBacklogRead(state, ticket, messages, exhausted)));
        } else {
            long[] sequences = owed.nextStored(ReadBack.MESSAGES);
            readBack.ring(
                    subscription,
                    sequences,
                    (messages, exhausted) -> put(() -> onRingRead(state, ticket, sequences, messages)));
        }
    }

    private boolean isStale(SubscriptionState state, long ticket, List<Ready> messages) {
        if (ticket != state.readTicket || !state.reading) {
            return true;
        }
        // A damaged message parks its subscription: reading stays set, so nothing more is read.
        return messages == null;
    }

    private void onBacklogRead(SubscriptionState state, long ticket, List<Ready> messages, boolean exhausted) {
        if (isStale(state, ticket, messages)) {
            return;
        }
        state.reading = false;
        if (exhausted) {
            state.owed().backlogIsRead();
        }
        messages.forEach(state.owed()::readBack);
        counters.readBack(messages.size());
        wake(state);
    }

    private void onRingRead(SubscriptionState state, long ticket, long[] asked, List<Ready> messages) {
        if (isStale(state, ticket, messages)) {
            return;
        }
        state.reading = false;
        int found = 0;
        while (found < messages.size() && messages.get(found).sequence() == asked[found]) {
            state.owed().readBack(messages.get(found));
            found++;
        }
        counters.readBack(found);
        if (found < asked.length) {
            missed(state, asked[found]);
        }
        wake(state);
    }

    /** It has just been moved to the backlog, of which this thread hears in a moment; or it is damaged. */
    private void missed(SubscriptionState state, long sequence) {
        if (state.missing == sequence && sequence >= gate) {
            LOG.error(
                    "RT-2204 {} is parked: message {} is neither in the ring nor in the backlog",
                    state.subscription(),
                    sequence);
            state.reading = true;
            return;
        }
        state.missing = sequence;
        state.fenced = true;
        committer.fence(state.subscription());
    }

    private void answerDrains(SubscriptionState state) {
        for (CreditWindow window : List.copyOf(state.consumers())) {
            boolean nothingToCome =
                    state.owed().peek(window.consumer()) == null && state.owed().isCaughtUp();
            if (window.isDraining() && (nothingToCome || window.isUsedUp())) {
                window.drained();
                touched.add(window.consumer().mailbox());
            }
        }
    }

    public DispatchCounters counters() {
        return counters;
    }

    /** Bytes of messages that wait in memory. Thread: any. */
    public long memoryBytes() {
        return budget.used();
    }
}
