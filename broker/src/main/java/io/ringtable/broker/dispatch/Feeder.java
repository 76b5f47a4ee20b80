package io.ringtable.broker.dispatch;

import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.work.CommitterMailbox;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves one subscription at a time: gives what is in memory to consumers with credit, has read back what lies in the
 * store, answers drains.
 * <p>
 * Thread: dispatcher.
 */
final class Feeder {
    private static final Logger LOG = LoggerFactory.getLogger(Feeder.class);

    private final CommitterMailbox committer;
    private final ReadBack readBack;
    private final ReadTurns readTurns;
    private final Bounds bounds;
    private final Brake brake;
    private final FanOut fanOut;
    private final Burials burials;
    private final Timetable timetable;
    private final Turn turn;
    private final DispatchCounters counters;
    private final Slice slice;
    private final LongSupplier clockMs;
    private final Consumer<Runnable> onDispatcher;
    private final Map<Long, ParkedSubscription> parked =
            new ConcurrentHashMap<>(); // written by dispatcher, read by status; by subscription id
    private long epoch;
    private long gate;

    /**
     * @param slice of a turn, for one subscription
     * @param clockMs ms since the epoch
     * @param onDispatcher runs what a reader found on the dispatcher's thread
     */
    Feeder(
            CommitterMailbox committer,
            ReadBack readBack,
            ReadTurns readTurns,
            Bounds bounds,
            Brake brake,
            FanOut fanOut,
            Burials burials,
            Timetable timetable,
            Turn turn,
            DispatchCounters counters,
            Slice slice,
            LongSupplier clockMs,
            Consumer<Runnable> onDispatcher) {
        this.committer = committer;
        this.readBack = readBack;
        this.readTurns = readTurns;
        this.bounds = bounds;
        this.brake = brake;
        this.fanOut = fanOut;
        this.burials = burials;
        this.timetable = timetable;
        this.turn = turn;
        this.counters = counters;
        this.clockMs = clockMs;
        this.slice = slice;
        this.onDispatcher = onDispatcher;
    }

    void epoch(long itsEpoch) {
        epoch = itsEpoch;
    }

    void gate(long itsGate) {
        gate = itsGate;
    }

    /** The ring's gate, as far as it was heard of here. */
    long gate() {
        return gate;
    }

    void serve(SubscriptionState state) {
        if (!deliverReady(state)) {
            turn.goOn(state);
            return;
        }
        if (state.changed) {
            turn.wake(state); // those who had been asked before it changed are asked again
        }
        boolean hungry = state.areSomeHungry();
        if (state.mayRead()) {
            OwedSet.Reading next = state.owed().nextReading(gate, hungry);
            ReadTurns.Read underWay = next == null ? null : readTurns.begin(state, () -> serve(state));
            if (underWay != null) {
                read(state, next, underWay);
            }
        }
        if (!state.subscription().isStored()) {
            brake.resumeIfRoom(state);
        }
        answerDrains(state);
    }

    /** @return false if the slice was over before everybody was asked */
    private boolean deliverReady(SubscriptionState state) {
        slice.begin();
        for (CreditWindow window; (window = state.nextConsumer(slice)) != null; ) {
            Ready ready = state.next();
            if (isExpired(ready)) {
                state.notDelivered();
                discard(state, ready);
                continue;
            }
            if (state.subscription().isStored() && !bounds.allows(state, ready.sequence())) {
                state.notDelivered();
                return true; // what may have been delivered must be durable before it is
            }
            state.delivered();
            state.owed().take(ready);
            state.owed().given(ready, window, state.consumers());
            state.highestDelivered = Math.max(state.highestDelivered, ready.sequence());
            window.deliver(delivery(state, ready));
            counters.delivered(ready.redelivered());
            turn.touch(window.consumer().mailbox());
        }
        return state.endRound();
    }

    private Delivery delivery(SubscriptionState state, Ready ready) {
        return new Delivery(
                ready.message(),
                state.subscription(),
                ready.sequence(),
                ready.group(),
                ready.pending(),
                epoch,
                ready.failures(),
                ready.redelivered());
    }

    private boolean isExpired(Ready ready) {
        long expiresAt = ready.message().expiresAt();
        return expiresAt != 0 && expiresAt <= clockMs.getAsLong();
    }

    /** Nobody is to see it any more (Jakarta Messaging 3.1 section 3.4.9): over as if somebody had settled it, or moved. */
    private void discard(SubscriptionState state, Ready ready) {
        state.owed().take(ready);
        Delivery last = delivery(state, ready);
        String expiryQueue = state.policy().expiryQueue();
        if (Burials.isElsewhere(expiryQueue, last)) {
            burials.bury(last, expiryQueue, "expired", counters::hasExpired, (itsState, until) -> {
                itsState.owed().later(ready, until);
                timetable.add(itsState);
            });
        } else {
            if (state.subscription().isStored()) {
                committer.settle(last.settlement(), null);
            }
            state.owed().isOver(ready.sequence());
            counters.hasExpired();
        }
    }

    private void answerDrains(SubscriptionState state) {
        slice.begin();
        for (CreditWindow window : state.consumers()) {
            if (window.isDraining()) {
                boolean over = !window.hasCredit() || nothingToCome(state, window);
                if (over) {
                    window.drained();
                    turn.touch(window.consumer().mailbox());
                } else if (state.owed().isInterrupted()) {
                    turn.goOn(state);
                    return;
                }
            }
        }
    }

    private boolean nothingToCome(SubscriptionState state, CreditWindow window) {
        if (!state.isServed(window)) {
            return true;
        }
        boolean nothingHere = state.owed().peek(window, state.served(), slice) == null
                && !state.owed().isInterrupted();
        return nothingHere && (state.owed().isCaughtUp() || state.parked) && !fanOut.awaits(state);
    }

    /** Nobody reads it: its messages wait in the store. */
    void leaveToStore(SubscriptionState state) {
        state.owed().leaveToStore();
        state.giveUpRead();
        state.parked = false; // whoever attaches next has it tried again
        fence(state); // what was settled a moment ago must not be read as owed
        bounds.lower(state);
    }

    private void fence(SubscriptionState state) {
        state.fences++;
        committer.fence(state.subscription());
    }

    // Reading back

    private void read(SubscriptionState state, OwedSet.Reading next, ReadTurns.Read underWay) {
        Subscription subscription = state.subscription();
        long ticket = state.beginRead();
        Runnable delayed = () -> onDispatcher.accept(underWay::end);
        if (next instanceof OwedSet.Ring ring) {
            Consumer<ReadBack.Found> taken = found -> onRead(state, ticket, ring.sequences(), false, found);
            readBack.ring(subscription, ring.sequences(), take(underWay, taken), delayed);
        } else if (next instanceof OwedSet.BacklogRows rows) {
            Consumer<ReadBack.Found> taken = found -> onRead(state, ticket, rows.sequences(), true, found);
            readBack.backlog(subscription, rows.sequences()[0] - 1, take(underWay, taken), delayed);
        } else if (next instanceof OwedSet.BacklogStretch stretch) {
            Consumer<ReadBack.Found> taken = found -> onReadOn(state, ticket, stretch, found);
            readBack.backlog(subscription, stretch.after(), take(underWay, taken), delayed);
        }
    }

    private Consumer<ReadBack.Found> take(ReadTurns.Read underWay, Consumer<ReadBack.Found> taken) {
        return found -> onDispatcher.accept(() -> {
            taken.accept(found);
            underWay.end();
        });
    }

    /** @param asked in order; what is found beside them is on its way to somebody */
    private void onRead(SubscriptionState state, long ticket, long[] asked, boolean inBacklog, ReadBack.Found found) {
        if (!state.endRead(ticket)) {
            return;
        }
        long now = clockMs.getAsLong();
        int read = 0;
        for (Ready ready : found.messages()) {
            if (read == asked.length || ready.sequence() > asked[read]) {
                break;
            }
            if (ready.sequence() == asked[read]) {
                state.owed().readBack(ready, now);
                read++;
            }
        }
        counters.readBack(read);
        boolean isNextDamaged =
                found.damage() != null && read < asked.length && found.damage().sequence() == asked[read];
        if (read == 0 && !isNextDamaged) {
            missed(state, asked[0], inBacklog);
        }
        if (found.damage() == null || isNextDamaged) {
            finishRead(state, found);
        } else {
            timetable.add(state);
            turn.wake(state);
        }
    }

    private void onReadOn(SubscriptionState state, long ticket, OwedSet.BacklogStretch stretch, ReadBack.Found found) {
        if (!state.endRead(ticket)) {
            return;
        }
        long now = clockMs.getAsLong();
        found.messages().forEach(ready -> state.owed().readOn(ready, now));
        List<Ready> messages = found.messages();
        if (found.exhausted()
                || !messages.isEmpty() && messages.get(messages.size() - 1).sequence() >= stretch.end()) {
            state.owed().isReadThrough();
        }
        counters.readBack(messages.size());
        finishRead(state, found);
    }

    private void finishRead(SubscriptionState state, ReadBack.Found found) {
        timetable.add(state); // some may not be due yet
        if (found.damage() != null) {
            park(state, found.damage().sequence(), found.damage().reason());
        } else {
            ParkedSubscription known = parked.get(state.subscription().id());
            if (known != null && !known.isForItsSelector() && !state.owed().liesInStore(known.sequence())) {
                unparked(state);
            }
        }
        turn.wake(state);
    }

    /** It has just been moved to the backlog or settled by others, of which this thread hears in a moment; or it is damaged. */
    private void missed(SubscriptionState state, long sequence, boolean inBacklog) {
        boolean again = state.missing == sequence && state.missingInBacklog == inBacklog;
        if (again && (inBacklog || sequence >= gate)) {
            park(state, sequence, "it is neither in the ring nor in the backlog");
            return;
        }
        state.missing = sequence;
        state.missingInBacklog = inBacklog;
        fence(state);
    }

    private void park(SubscriptionState state, long sequence, String reason) {
        state.parked = true;
        ParkedSubscription now = new ParkedSubscription(state.subscription(), sequence, reason);
        if (!now.equals(parked.put(state.subscription().id(), now))) {
            LOG.error(
                    "RT-2204 {} is parked at message {}: {}. Restore the message or delete the subscription",
                    state.subscription(),
                    sequence,
                    reason);
        }
    }

    /** It is known to be damaged before anybody reads it. */
    void foundDamaged(SubscriptionState state, long sequence, String reason) {
        parked.putIfAbsent(state.subscription().id(), new ParkedSubscription(state.subscription(), sequence, reason));
    }

    /** Its selector cannot be evaluated: nobody can attach to it, only replace or delete it. */
    void foundUnreadable(SubscriptionState state) {
        Selector selector = state.subscription().selector();
        if (selector != null && selector.defect() != null) {
            parked.put(
                    state.subscription().id(),
                    new ParkedSubscription(
                            state.subscription(), ParkedSubscription.NO_MESSAGE, "its selector: " + selector.defect()));
            LOG.error(
                    "RT-2300 {} is parked, it keeps what comes and is given nothing: {}. Subscribe anew with a smaller"
                            + " selector, or unsubscribe it",
                    state.subscription(),
                    selector.defect());
        }
    }

    void unparked(SubscriptionState state) {
        parked.remove(state.subscription().id());
    }

    /** Thread: any. */
    List<ParkedSubscription> parked() {
        return List.copyOf(parked.values());
    }
}
