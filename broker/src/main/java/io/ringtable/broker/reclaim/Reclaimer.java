package io.ringtable.broker.reclaim;

import io.ringtable.broker.durability.Transactor;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.store.RingWrites;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.ShardState.BacklogSummary;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.work.CommitListener;
import io.ringtable.broker.work.CommitMonitor;
import java.util.List;

/**
 * Keeps room in the ring: clears the stretch behind the gate portion by portion, moving what is still owed into the
 * backlog. Where the ring has room enough {@link BacklogDiscarder} has a turn.
 * <p>
 * Thread: committer, between flushes.
 */
public final class Reclaimer {
    /** A clearing takes so many times what the flush before it claimed. */
    private static final int CLAIMED_SHARE = 8;

    private final RingState state;
    private final RingWrites store;
    private final Transactor transactor;
    private final CommitListener listener;
    private final CommitMonitor monitor;
    private final BacklogDiscarder discarder;
    private final int portionMax;
    private final long roomWanted;
    private long nextAtLastTurn;

    public Reclaimer(
            RingState state,
            RingWrites store,
            Transactor transactor,
            BacklogDiscarder discarder,
            CommitListener listener,
            CommitMonitor monitor) {
        this.state = state;
        this.store = store;
        this.transactor = transactor;
        this.discarder = discarder;
        this.listener = listener;
        this.monitor = monitor;
        int capacity = state.ring().geometry().capacity();
        // At most a sixteenth of the ring at a time, in whole blocks and never more than a segment; begun while a
        // quarter is free, so that readers who are a little late still find their messages in the ring.
        this.portionMax = Math.max(RingGeometry.BLOCK, capacity / 16 / RingGeometry.BLOCK * RingGeometry.BLOCK);
        this.roomWanted = capacity / 4;
        this.nextAtLastTurn = state.next();
    }

    /** Takes one step if one is due. @return 1 if it did */
    public int doWork() {
        long claimed = state.next() - nextAtLastTurn;
        nextAtLastTurn += claimed;
        try {
            boolean reclaimed = isDue() && reclaimPortion(portionFor(claimed));
            return reclaimed || discarder.discardPortion() ? 1 : 0;
        } catch (StoreFailure failure) { // it takes no writes now: flushes find out and say so, this waits
            return 0;
        }
    }

    /** Whether the ring should be cleared further. */
    public boolean isDue() {
        return state.ring().room() < roomWanted;
    }

    /**
     * Flushes wait for a clearing: small ones, whose publishers wait for each, for a short one. It takes so much more than was
     * claimed that it keeps up and that large flushes share its transaction among several.
     */
    private int portionFor(long claimed) {
        long wanted = Math.min(portionMax, CLAIMED_SHARE * claimed);
        return (int) Math.max(RingGeometry.BLOCK, wanted / RingGeometry.BLOCK * RingGeometry.BLOCK);
    }

    /** Makes room now, for a flush that would not fit. @throws StoreFailure if the store does not take it */
    public void makeRoom() {
        if (!reclaimPortion(portionMax)) {
            throw new IllegalStateException("RT-2904 the ring has no room and nothing to clear: " + state.ring());
        }
    }

    private boolean reclaimPortion(int portion) {
        long gate = state.gate();
        long claimed = state.next() / RingGeometry.BLOCK * RingGeometry.BLOCK;
        // Only whole segments' worth of alignment matters to engines: a portion never crosses a segment.
        long segmentEnd = (gate / state.ring().geometry().segmentSize() + 1)
                * state.ring().geometry().segmentSize();
        long newGate = Math.min(Math.min(gate + portion, claimed), segmentEnd);
        if (newGate <= gate) {
            return false;
        }
        long begun = System.nanoTime();
        long owed = state.countOwed(gate, newGate);
        List<BacklogSummary> grown = transactor.run(
                () -> store.reclaim(state.epoch(), gate, newGate, owed), tables -> found(tables, gate, newGate));
        state.moved(newGate, grown);
        listener.gateRaised(newGate);
        monitor.reclaimed(owed, System.nanoTime() - begun);
        return true;
    }

    private List<BacklogSummary> found(ShardState tables, long gate, long newGate) {
        if (tables.gate() == newGate && tables.next() == state.next()) {
            return tables.backlog();
        }
        if (tables.gate() == gate && tables.next() == state.next()) {
            return null;
        }
        throw Transactor.elsewhere("gate=" + gate + " or " + newGate + " next=" + state.next(), tables);
    }
}
