package io.ringtable.broker.dispatch.browse;

import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.memory.UnsettledBytes;
import io.ringtable.broker.dispatch.owed.Reading;
import io.ringtable.broker.dispatch.owed.Ready;
import io.ringtable.broker.dispatch.owed.ReadyPart;
import io.ringtable.broker.dispatch.readback.ReadPermits;
import io.ringtable.broker.dispatch.readback.StoreReader;
import io.ringtable.broker.dispatch.subscription.ServiceQueue;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * Shows one consumer what is ready in a queue when it comes, and takes nothing (Jakarta Messaging 3.1 section 4.3). The
 * order is that of delivery. Messages that are consumed meanwhile may be shown or not; damaged ones are left out.
 * <p>
 * Thread: dispatcher.
 */
final class Browser {
    private final Consumer consumer;
    private final SubscriptionState state;
    private final StoreReader storeReader;
    private final ReadPermits readPermits;
    private final LongSupplier gate;
    private final LongSupplier clockMs;
    private final Executor dispatcher;
    private final ServiceQueue serviceQueue;
    private final UnsettledBytes unsettled;
    private final UnsettledBytes.ConnectionBytes ofConnection;
    private final Runnable roomAgain = this::serve;
    private final Deque<ReadyPart> toRead;
    private final Deque<Ready> toShow;
    private int inMemoryAnyway; // of those to show, how many at the front are in memory in any case
    private long held; // bytes read for the consumer, or shown and not yet written
    private boolean reading;
    private boolean ended;
    private long limit;
    private long shown;
    private boolean draining;

    /**
     * @param gate the gate of the ring, as known here
     * @param clockMs ms since the epoch
     * @param dispatcher runs what a store reader found on the dispatcher's thread
     * @param unsettled bounds what is kept in memory for the consumer
     */
    Browser(
            Consumer consumer,
            SubscriptionState state,
            StoreReader storeReader,
            ReadPermits readPermits,
            LongSupplier gate,
            LongSupplier clockMs,
            Executor dispatcher,
            ServiceQueue serviceQueue,
            UnsettledBytes unsettled) {
        this.consumer = consumer;
        this.state = state;
        this.storeReader = storeReader;
        this.readPermits = readPermits;
        this.gate = gate;
        this.clockMs = clockMs;
        this.dispatcher = dispatcher;
        this.serviceQueue = serviceQueue;
        this.unsettled = unsettled;
        this.ofConnection = unsettled.enter(consumer.mailbox(), roomAgain);
        this.toRead = new ArrayDeque<>(state.owed().readyInStore());
        this.toShow = new ArrayDeque<>(state.owed().readyWithoutStore());
        this.inMemoryAnyway = toShow.size();
    }

    Consumer consumer() {
        return consumer;
    }

    SubscriptionState state() {
        return state;
    }

    void limit(long newLimit, boolean drain) {
        limit = newLimit;
        draining = drain;
        serve();
    }

    /** Ends the browser: it shows nothing more. */
    void end() {
        ended = true;
        hold(-held);
        unsettled.leave(consumer.mailbox(), roomAgain);
    }

    /** Lets go of bytes that were shown and need not be kept any more. */
    void taken(int bytes) {
        hold(-bytes);
    }

    private void hold(long more) {
        held += more;
        if (more > 0) {
            ofConnection.take(more);
        } else if (more < 0) {
            ofConnection.give(-more);
        }
    }

    private void serve() {
        if (ended) {
            return; // the permit to read has come too late
        }
        while (shown < limit && !toShow.isEmpty() && (inMemoryAnyway == 0 || ofConnection.hasRoom())) {
            Ready next = toShow.remove();
            if (inMemoryAnyway > 0) {
                inMemoryAnyway--;
                hold(next.message().bytes());
            }
            show(next);
        }
        if (shown < limit && !reading && !toRead.isEmpty() && ofConnection.hasRoom()) {
            ReadPermits.Permit permit = readPermits.begin(this, this::serve);
            if (permit != null) {
                read(permit);
            }
        }
        boolean isAll = toShow.isEmpty() && toRead.isEmpty() && !reading;
        if (draining && (isAll || shown >= limit)) {
            draining = false;
            shown = Math.max(shown, limit); // it may have shown more before the limit was lowered
            consumer.drained(limit);
            serviceQueue.wakeAtEnd(consumer.mailbox());
        }
    }

    private void show(Ready ready) {
        long expiresAt = ready.message().expiresAt();
        boolean isExpired = expiresAt != 0 && expiresAt <= clockMs.getAsLong();
        if (isExpired || consumer.selector() != null && !consumer.selector().matches(ready.message())) {
            hold(-ready.message().bytes());
            return;
        }
        shown++;
        consumer.deliver(new Delivery(
                ready.message(),
                state.subscription(),
                ready.sequence(),
                ready.group(),
                ready.pending(),
                0,
                ready.failures(),
                ready.redelivered()));
        serviceQueue.wakeAtEnd(consumer.mailbox());
    }

    // ---- reading

    private void read(ReadPermits.Permit permit) {
        Runnable delayed = () -> dispatcher.execute(permit::end);
        reading = true;
        hold(StoreReader.BYTES_MAX); // the most that the read may find
        ReadyPart next = toRead.remove();
        if (next instanceof Reading.BacklogStretch stretch) {
            storeReader.backlog(
                    state.subscription(),
                    stretch.after(),
                    found -> take(permit, () -> takeStretch(stretch, found)),
                    delayed);
            return;
        }
        ReadyPart.Sequences rows = (ReadyPart.Sequences) next;
        Roaring64Bitmap sequences = rows.bits();
        if (sequences.first() >= gate.getAsLong()) {
            long[] asked = rows.first(Reading.MESSAGES_MAX);
            storeReader.ring(
                    state.subscription(),
                    asked,
                    found -> take(permit, () -> takeFromRing(sequences, asked, found)),
                    delayed);
        } else {
            storeReader.backlog(
                    state.subscription(),
                    sequences.first() - 1,
                    found -> take(permit, () -> takeFromBacklog(sequences, found)),
                    delayed);
        }
    }

    private void take(ReadPermits.Permit permit, Runnable found) {
        dispatcher.execute(() -> {
            reading = false;
            if (!ended) {
                hold(-StoreReader.BYTES_MAX);
                int before = toShow.size();
                found.run();
                toShow.stream()
                        .skip(before)
                        .forEach(ready -> hold(ready.message().bytes()));
                serve();
            }
            permit.end();
        });
    }

    private void takeStretch(Reading.BacklogStretch stretch, StoreReader.Found found) {
        found.messages().stream()
                .filter(ready -> ready.sequence() < stretch.end())
                .forEach(toShow::add);
        long last = lastOf(found.messages());
        if (last >= 0 && last < stretch.end() - 1) {
            toRead.addFirst(new Reading.BacklogStretch(last, stretch.end()));
        }
    }

    /** Takes what was found in the ring. Messages that left the ring meanwhile lie in the backlog, or are over. */
    private void takeFromRing(Roaring64Bitmap sequences, long[] asked, StoreReader.Found found) {
        long last = found.cut() ? lastOf(found.messages()) : Long.MAX_VALUE;
        Roaring64Bitmap moved = Roaring64Bitmap.bitmapOf(
                Arrays.stream(asked).filter(sequence -> sequence <= last).toArray());
        sequences.andNot(moved);
        found.messages().forEach(ready -> {
            moved.removeLong(ready.sequence());
            toShow.add(ready);
        });
        addFirst(sequences);
        if (!moved.isEmpty() && moved.first() < gate.getAsLong()) {
            addFirst(moved);
        }
    }

    /** Takes what was found in the backlog. Messages in between that are not found are over. */
    private void takeFromBacklog(Roaring64Bitmap sequences, StoreReader.Found found) {
        found.messages().stream()
                .filter(ready -> sequences.contains(ready.sequence()))
                .forEach(toShow::add);
        long last = lastOf(found.messages());
        long end = last < 0 ? gate.getAsLong() : Math.min(last + 1, gate.getAsLong());
        while (!sequences.isEmpty() && sequences.first() < end) {
            sequences.removeLong(sequences.first());
        }
        addFirst(sequences);
    }

    private void addFirst(Roaring64Bitmap sequences) {
        if (!sequences.isEmpty()) {
            toRead.addFirst(new ReadyPart.Sequences(sequences));
        }
    }

    private static long lastOf(List<Ready> messages) {
        return messages.isEmpty() ? -1 : messages.get(messages.size() - 1).sequence();
    }
}
