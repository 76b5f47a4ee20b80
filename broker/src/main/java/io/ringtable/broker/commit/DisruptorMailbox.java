package io.ringtable.broker.commit;

import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.EventTranslatorOneArg;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.YieldingWaitStrategy;
import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.work.CommitterMailbox;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Settle;
import io.ringtable.broker.work.Work;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;

/**
 * Hands over to the committer on two paths: works through a bounded disruptor, reports about deliveries through a queue
 * that credit bounds.
 * <p>
 * Thread: any puts in, committer takes out.
 */
final class DisruptorMailbox implements CommitterMailbox {
    private static final class Cell {
        private Work work;
    }

    /** Gives 64 MB of messages 8,192 places: works smaller than this fill the places first, larger ones the bytes. */
    private static final int BYTES_OF_A_WORK = 8 << 10;

    /** A place costs memory even while it is empty: 32 MB for as many as this. */
    private static final int WORKS_MAX = 1 << 20;

    private static final EventTranslatorOneArg<Cell, Work> PUT = (cell, sequence, work) -> cell.work = work;

    private final RingBuffer<Cell> works;
    private final EventPoller<Cell> poller;
    private final Queue<DeliveryReport> reports = new MpscUnboundedAtomicArrayQueue<>(1024);
    private final Deque<Work> taken = new ArrayDeque<>(); // committer's: polled, not yet in a flush
    private final AtomicLong bytes = new AtomicLong();
    private final Queue<Runnable> waitingForRoom = new ConcurrentLinkedQueue<>();
    private final long bytesMax;
    private final Doorbell doorbell;
    private volatile boolean foundFull; // since room was announced last
    private volatile Refusal closed; // written by committer when it ends, read by all

    /** @param bytesMax bytes of messages that may wait; the number of works follows from it */
    DisruptorMailbox(long bytesMax, Doorbell doorbell) {
        int worksMax = (int) Long.highestOneBit(Math.min(WORKS_MAX, bytesMax / BYTES_OF_A_WORK));
        // No thread waits on the disruptor itself: the committer rests at its doorbell.
        this.works = RingBuffer.createMultiProducer(Cell::new, worksMax, new YieldingWaitStrategy());
        this.poller = works.newPoller();
        works.addGatingSequences(poller.getSequence());
        this.bytesMax = bytesMax;
        this.doorbell = doorbell;
    }

    /** @return false if the mailbox is full; a closed mailbox refuses the work itself */
    @Override
    public boolean trySubmit(Work work) {
        long size = work.bytes();
        long before = bytes.getAndAdd(size);
        if (before > 0 && before + size > bytesMax || !works.tryPublishEvent(PUT, work)) {
            bytes.addAndGet(-size);
            foundFull = true;
            return false;
        }
        if (closed != null) {
            refuseRest();
        }
        doorbell.ring();
        return true;
    }

    /** Refuses what is there and what still comes: the committer has ended. */
    void close(Refusal refusal) {
        closed = refusal;
        refuseRest();
        announceRoom();
    }

    /**
     * Refuses what is left. After the committer's end no other thread takes works out, so the thread that put one in
     * does.
     */
    private synchronized void refuseRest() {
        for (Work work; (work = peek()) != null; take()) {
            refuse(work, closed);
        }
        for (DeliveryReport report; (report = takeReport()) != null; ) {
            if (report instanceof DeliveryReport.Settled settled && settled.completion() != null) {
                settled.completion().refused(closed);
                settled.completion().mailbox().wake();
            }
        }
    }

    /** Refuses a work, and gives back the places that were reserved for its messages. */
    static void refuse(Work work, Refusal refusal) {
        for (Message message : work.messages()) {
            message.address().quota().release(1, message.bytes());
        }
        work.completion().refused(refusal);
        work.completion().mailbox().wake();
    }

    @Override
    public void settle(Settle settlement, Completion completion) {
        put(new DeliveryReport.Settled(settlement, completion));
    }

    @Override
    public void failed(Subscription subscription, Flush.Redelivery redelivery) {
        put(new DeliveryReport.Failed(subscription, redelivery));
    }

    @Override
    public void dispatchBound(Subscription subscription, Flush.DispatchBound bound) {
        put(new DeliveryReport.DispatchBound(subscription, bound));
    }

    @Override
    public void fence(Subscription subscription) {
        put(new DeliveryReport.Fence(subscription));
    }

    private void put(DeliveryReport report) {
        reports.add(report);
        if (closed != null) {
            refuseRest();
        }
        doorbell.ring();
    }

    @Override
    public void onRoom(Runnable listener) {
        waitingForRoom.add(listener);
        if (closed != null) {
            announceRoom();
        }
        doorbell.ring();
    }

    /** Returns the next work without taking it; null if there is none. */
    Work peek() {
        if (taken.isEmpty()) {
            try {
                poller.poll((cell, sequence, endOfBatch) -> {
                    taken.add(cell.work);
                    cell.work = null;
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

    DeliveryReport takeReport() {
        return reports.poll();
    }

    boolean hasReports() {
        return !reports.isEmpty();
    }

    /**
     * Tells callers that found the mailbox full that there is room, each once. Some of them submit their works at once:
     * the first that finds it full again asks anew, and ends this. Otherwise the call would never return, and nobody
     * would take works out.
     *
     * @return whether callers still wait
     */
    boolean announceRoom() {
        if (waitingForRoom.isEmpty()) {
            return false;
        }
        foundFull = false;
        for (Runnable listener; maySubmit() && (listener = waitingForRoom.poll()) != null; ) {
            listener.run();
        }
        return !waitingForRoom.isEmpty();
    }

    /** Returns whether the next caller may find room; a closed mailbox refuses all of them. */
    private boolean maySubmit() {
        return closed != null || !foundFull && bytes.get() < bytesMax && works.hasAvailableCapacity(1);
    }
}
