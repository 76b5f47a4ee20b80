package io.ringtable.broker.commit;

import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.EventTranslatorOneArg;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.YieldingWaitStrategy;
import io.ringtable.broker.agent.Doorbell;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;

/**
 * The two paths to the committer: works through a bounded disruptor, notes through a queue that credit bounds.
 * <p>
 * Thread: any puts in, committer takes out.
 */
final class Inbox {
    private static final class Slot {
        private Work work;
    }

    private static final EventTranslatorOneArg<Slot, Work> PUT = (slot, sequence, work) -> slot.work = work;

    private final RingBuffer<Slot> works;
    private final EventPoller<Slot> poller;
    private final Queue<Note> notes = new MpscUnboundedAtomicArrayQueue<>(1024);
    private final Deque<Work> taken = new ArrayDeque<>(); // committer's: polled, not yet in a flush
    private final AtomicLong bytes = new AtomicLong();
    private final Queue<Runnable> waitingForRoom = new ConcurrentLinkedQueue<>();
    private final long bytesMax;
    private final Doorbell doorbell;

    Inbox(CommitSettings settings, Doorbell doorbell) {
        // Nobody waits on the disruptor itself: the committer rests at its doorbell.
        this.works = RingBuffer.createMultiProducer(Slot::new, settings.inboxWorks(), new YieldingWaitStrategy());
        this.poller = works.newPoller();
        works.addGatingSequences(poller.getSequence());
        this.bytesMax = settings.inboxBytesMax();
        this.doorbell = doorbell;
    }

    boolean tryPut(Work work) {
        long size = work.bytes();
        long before = bytes.getAndAdd(size);
        if (before > 0 && before + size > bytesMax || !works.tryPublishEvent(PUT, work)) {
            bytes.addAndGet(-size);
            return false;
        }
        doorbell.ring();
        return true;
    }

    void put(Note note) {
        notes.add(note);
        doorbell.ring();
    }

    void onRoom(Runnable listener) {
        waitingForRoom.add(listener);
        doorbell.ring();
    }

    /** The next work without taking it; null if there is none. */
    Work peek() {
        if (taken.isEmpty()) {
            try {
                poller.poll((slot, sequence, endOfBatch) -> {
                    taken.add(slot.work);
                    slot.work = null;
                    return true;
                });
            } catch (Exception e) {
                throw new IllegalStateException(e); // the handler above throws nothing
            }
        }
        return taken.peek();
    }

    void take() {
        bytes.addAndGet(-taken.remove().bytes());
    }

    Note takeNote() {
        return notes.poll();
    }

    boolean hasNotes() {
        return !notes.isEmpty();
    }

    /** Tells those who found it full that there is room; each once. */
    void announceRoom() {
        for (Runnable listener; (listener = waitingForRoom.poll()) != null; ) {
            listener.run();
        }
    }
}
