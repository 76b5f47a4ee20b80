package io.ringtable.broker.dispatch.readback;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.owed.Reading;
import io.ringtable.broker.dispatch.owed.Ready;
import io.ringtable.broker.dispatch.subscription.DelayedSubscriptions;
import io.ringtable.broker.dispatch.subscription.DispatchCounters;
import io.ringtable.broker.dispatch.subscription.Fences;
import io.ringtable.broker.dispatch.subscription.ParkedSubscriptions;
import io.ringtable.broker.dispatch.subscription.ServiceQueue;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Has read back what subscriptions owe and memory does not hold, and takes over what was found.
 * <p>
 * Thread: dispatcher. Failure: a subscription is parked at a message that is damaged, or that is nowhere to be found.
 */
public final class SubscriptionReadBack {
    private final StoreReader storeReader;
    private final ReadPermits readPermits;
    private final Fences fences;
    private final ParkedSubscriptions parked;
    private final DelayedSubscriptions delayedSubscriptions;
    private final ServiceQueue serviceQueue;
    private final DispatchCounters counters;
    private final LongSupplier clockMs;
    private final Executor dispatcher;
    private long gate;

    /**
     * @param gate the ring's
     * @param clockMs ms since the epoch
     * @param dispatcher runs what a store reader found on the dispatcher's thread
     */
    public SubscriptionReadBack(
            StoreReader storeReader,
            ReadPermits readPermits,
            long gate,
            Fences fences,
            ParkedSubscriptions parked,
            DelayedSubscriptions delayedSubscriptions,
            ServiceQueue serviceQueue,
            DispatchCounters counters,
            LongSupplier clockMs,
            Executor dispatcher) {
        this.storeReader = storeReader;
        this.readPermits = readPermits;
        this.gate = gate;
        this.fences = fences;
        this.parked = parked;
        this.delayedSubscriptions = delayedSubscriptions;
        this.serviceQueue = serviceQueue;
        this.counters = counters;
        this.clockMs = clockMs;
        this.dispatcher = dispatcher;
    }

    public void gate(long itsGate) {
        gate = itsGate;
    }

    /** The ring's gate, as far as it was heard of here. */
    public long gate() {
        return gate;
    }

    /**
     * Begins the next read of a subscription that may read, if there is something to read and room for it.
     *
     * @param hungry some consumer has credit and found nothing
     * @param again serves the subscription later, if too many reads are under way
     */
    public void readNext(SubscriptionState state, boolean hungry, Consumer<SubscriptionState> again) {
        Reading next = state.owed().nextReading(gate, hungry);
        ReadPermits.Permit permit = next == null ? null : readPermits.begin(state, () -> again.accept(state));
        if (permit != null) {
            read(state, next, permit);
        }
    }

    private void read(SubscriptionState state, Reading next, ReadPermits.Permit permit) {
        Subscription subscription = state.subscription();
        long ticket = state.reads().begin();
        Runnable delayed = () -> dispatcher.execute(permit::end);
        if (next instanceof Reading.RingRows ring) {
            Consumer<StoreReader.Found> taken = found -> onRead(state, ticket, ring.sequences(), false, found);
            storeReader.ring(subscription, ring.sequences(), take(permit, taken), delayed);
        } else if (next instanceof Reading.BacklogRows rows) {
            Consumer<StoreReader.Found> taken = found -> onRead(state, ticket, rows.sequences(), true, found);
            storeReader.backlog(subscription, rows.sequences()[0] - 1, take(permit, taken), delayed);
        } else if (next instanceof Reading.BacklogStretch stretch) {
            Consumer<StoreReader.Found> taken = found -> onReadOn(state, ticket, stretch, found);
            storeReader.backlog(subscription, stretch.after(), take(permit, taken), delayed);
        }
    }

    private Consumer<StoreReader.Found> take(ReadPermits.Permit permit, Consumer<StoreReader.Found> taken) {
        return found -> dispatcher.execute(() -> {
            taken.accept(found);
            permit.end();
        });
    }

    /** @param asked in order; what is found beside them is on its way to somebody */
    private void onRead(
            SubscriptionState state, long ticket, long[] asked, boolean inBacklog, StoreReader.Found found) {
        if (!state.reads().end(ticket)) {
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
            delayedSubscriptions.add(state);
            serviceQueue.add(state);
        }
    }

    private void onReadOn(
            SubscriptionState state, long ticket, Reading.BacklogStretch stretch, StoreReader.Found found) {
        if (!state.reads().end(ticket)) {
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

    private void finishRead(SubscriptionState state, StoreReader.Found found) {
        delayedSubscriptions.add(state); // some may not be due yet
        if (found.damage() != null) {
            parked.park(state, found.damage().sequence(), found.damage().reason());
        } else {
            parked.hasRead(state);
        }
        serviceQueue.add(state);
    }

    /**
     * It has just been moved to the backlog or settled by others, of which this thread hears in a moment; or it is
     * damaged.
     */
    private void missed(SubscriptionState state, long sequence, boolean inBacklog) {
        boolean again = state.reads().missedAgain(sequence, inBacklog);
        if (again && (inBacklog || sequence >= gate)) {
            parked.park(state, sequence, "it is neither in the ring nor in the backlog");
        } else {
            fences.raise(state);
        }
    }
}
