package io.ringtable.broker.dispatch;

import io.ringtable.broker.commit.Committer;
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

    private final Committer committer;
    private final ReadBack readBack;
    private final Bounds bounds;
    private final Brake brake;
    private final Turn turn;
    private final DispatchCounters counters;
    private final LongSupplier clockMs;
    private final Consumer<Runnable> onDispatcher;
    private final Map<Long, ParkedSubscription> parked =
            new ConcurrentHashMap<>(); // written by dispatcher, read by status; by subscription id
    private long epoch;
    private long gate;

    /**
     * @param clockMs ms since the epoch
     * @param onDispatcher runs what a reader found on the dispatcher's thread
     */
    Feeder(
            Committer committer,
            ReadBack readBack,
            Bounds bounds,
            Brake brake,
            Turn turn,
            DispatchCounters counters,
            LongSupplier clockMs,
            Consumer<Runnable> onDispatcher) {
        this.committer = committer;
        this.readBack = readBack;
        this.bounds = bounds;
        this.brake = brake;
        this.turn = turn;
        this.counters = counters;
        this.clockMs = clockMs;
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
        deliverReady(state);
        if (state.owed().wantsReadBack() && state.mayRead()) {
            readBack(state);
        }
        if (!state.subscription().isStored()) {
            brake.resumeIfRoom(state);
        }
        answerDrains(state);
    }

    private void deliverReady(SubscriptionState state) {
        for (CreditWindow window; (window = state.nextConsumer()) != null; ) {
            Ready ready = state.owed().peek(window.consumer());
            if (isExpired(ready)) {
                discard(state, ready);
                continue;
            }
            if (state.subscription().isStored() && !bounds.allows(state, ready.sequence())) {
                return; // what may have been delivered must be durable before it is
            }
            state.delivered(window);
            state.owed().take(ready);
            state.highestDelivered = Math.max(state.highestDelivered, ready.sequence());
            window.deliver(delivery(state, ready));
            counters.delivered(ready.redelivered());
            turn.touch(window.consumer().mailbox());
        }
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

    /** Nobody is to see it any more (Jakarta Messaging 3.1 section 3.4.9): it is over as if somebody had settled it. */
    private void discard(SubscriptionState state, Ready ready) {
        state.owed().take(ready);
        if (state.subscription().isStored()) {
            committer.settle(delivery(state, ready).settlement(), null);
        }
        counters.discarded();
    }

    private void answerDrains(SubscriptionState state) {
        for (CreditWindow window : List.copyOf(state.consumers())) {
            if (window.isDraining() && (!window.hasCredit() || nothingToCome(state, window))) {
                window.drained();
                turn.touch(window.consumer().mailbox());
            }
        }
    }

    private static boolean nothingToCome(SubscriptionState state, CreditWindow window) {
        return state.owed().peek(window.consumer()) == null && (state.owed().isCaughtUp() || state.parked);
    }

    /** Nobody reads it: its messages wait in the store. */
    void leaveToStore(SubscriptionState state) {
        state.owed().leaveToStore(gate);
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

    private void readBack(SubscriptionState state) {
        OwedSet owed = state.owed();
        long ticket = state.beginRead();
        if (owed.isInBacklog()) {
            long moves = owed.moves();
            readBack.backlog(
                    state.subscription(),
                    owed.taken(),
                    found -> onDispatcher.accept(() -> onBacklogRead(state, ticket, moves, found)));
        } else {
            long[] sequences = owed.nextStored(ReadBack.MESSAGES);
            readBack.ring(
                    state.subscription(),
                    sequences,
                    found -> onDispatcher.accept(() -> onRingRead(state, ticket, sequences, found)));
        }
    }

    private void onBacklogRead(SubscriptionState state, long ticket, long moves, ReadBack.Found found) {
        if (!state.endRead(ticket)) {
            return;
        }
        if (found.exhausted()) {
            state.owed().backlogIsRead(moves);
        }
        found.messages().forEach(state.owed()::readBack);
        counters.readBack(found.messages().size());
        finishRead(state, found);
    }

    private void onRingRead(SubscriptionState state, long ticket, long[] asked, ReadBack.Found found) {
        if (!state.endRead(ticket)) {
            return;
        }
        int read = 0;
        while (read < found.messages().size() && found.messages().get(read).sequence() == asked[read]) {
            state.owed().readBack(found.messages().get(read));
            read++;
        }
        counters.readBack(read);
        boolean isNextDamaged =
                found.damage() != null && read < asked.length && found.damage().sequence() == asked[read];
        if (read < asked.length && !isNextDamaged) {
            missed(state, asked[read]);
        }
        if (found.damage() == null || isNextDamaged) {
            finishRead(state, found);
        } else {
            turn.wake(state);
        }
    }

    private void finishRead(SubscriptionState state, ReadBack.Found found) {
        if (found.damage() != null) {
            park(state, found.damage().sequence(), found.damage().reason());
        } else {
            ParkedSubscription known = parked.get(state.subscription().id());
            if (known != null && state.owed().taken() >= known.sequence()) {
                unparked(state);
            }
        }
        turn.wake(state);
    }

    /** It has just been moved to the backlog, of which this thread hears in a moment; or it is damaged. */
    private void missed(SubscriptionState state, long sequence) {
        if (state.missing == sequence && sequence >= gate) {
            park(state, sequence, "it is neither in the ring nor in the backlog");
            return;
        }
        state.missing = sequence;
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

    void unparked(SubscriptionState state) {
        parked.remove(state.subscription().id());
    }

    /** Thread: any. */
    List<ParkedSubscription> parked() {
        return List.copyOf(parked.values());
    }
}
