package io.ringtable.broker.commit;

import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.ShardState.BacklogSummary;
import io.ringtable.broker.store.StoreFailure;
import java.util.List;

/**
 * Keeps room in the ring: clears the stretch behind the gate portion by portion, moving what is still owed into the
 * backlog, and deletes what lies in the backlog and is owed by nobody.
 * <p>
 * Thread: committer, between flushes.
 */
final class Reclaimer {
    private final RingState state;
    private final RingStore store;
    private final Transactor transactor;
    private final CommitListener listener;
    private final CommitMonitor monitor;
    private final int portion;
    private final long roomWanted;

    Reclaimer(RingState state, RingStore store, Transactor transactor, CommitListener listener, CommitMonitor monitor) {
        this.state = state;
        this.store = store;
        this.transactor = transactor;
        this.listener = listener;
        this.monitor = monitor;
        int capacity = state.ring.geometry().capacity();
        // A sixteenth of the ring at a time, in whole blocks and never more than a segment; begun while a quarter is
        // free,
        // so that readers who are a little late still find their messages in the ring.
        this.portion = Math.max(RingGeometry.BLOCK, capacity / 16 / RingGeometry.BLOCK * RingGeometry.BLOCK);
        this.roomWanted = capacity / 4;
    }

    /** Takes one step if one is due. @return 1 if it did */
    int doWork() {
        try {
            boolean reclaimed = state.ring.room() < roomWanted && reclaimPortion();
            return reclaimed || discardPortion() ? 1 : 0;
        } catch (StoreFailure failure) { // it takes no writes now: flushes find out and say so, this waits
            return 0;
        }
    }

    /** Makes room now, for a flush that would not fit. @throws StoreFailure if the store does not take it */
    void makeRoom() {
        if (!reclaimPortion()) {
            throw new IllegalStateException("RT-2904 the ring has no room and nothing to clear: " + state.ring);
        }
    }

    private boolean reclaimPortion() {
        long gate = state.ring.gate();
        long claimed = state.ring.next() / RingGeometry.BLOCK * RingGeometry.BLOCK;
        // Only whole segments' worth of alignment matters to engines: a portion never crosses a segment.
        long segmentEnd = (gate / state.ring.geometry().segmentSize() + 1)
                * state.ring.geometry().segmentSize();
        long newGate = Math.min(Math.min(gate + portion, claimed), segmentEnd);
        if (newGate <= gate) {
            return false;
        }
        long begun = System.nanoTime();
        long owed = state.references.countOwed(gate, newGate);
        List<BacklogSummary> grown = transactor.run(
                () -> store.reclaim(state.epoch, gate, newGate, owed), tables -> found(tables, gate, newGate));
        moved(gate, newGate, grown);
        monitor.reclaimed(owed, System.nanoTime() - begun);
        return true;
    }

    private List<BacklogSummary> found(ShardState tables, long gate, long newGate) {
        if (tables.gate() == newGate && tables.next() == state.ring.next()) {
            return tables.backlog();
        }
        if (tables.gate() == gate && tables.next() == state.ring.next()) {
            return null;
        }
        throw Transactor.elsewhere("gate=" + gate + " or " + newGate + " next=" + state.ring.next(), tables);
    }

    private void moved(long gate, long newGate, List<BacklogSummary> grown) {
        for (BacklogSummary summary : grown) {
            state.backlogs
                    .computeIfAbsent(summary.addressId(), id -> new Backlog(summary))
                    .grew(summary);
        }
        for (long sequence = gate; sequence < newGate; sequence++) {
            long owed = state.references.owed(sequence);
            if (owed == 0) {
                continue;
            }
            AddressEntry address = state.catalog.entry(state.references.addressId(sequence));
            int group = state.references.group(sequence);
            for (long bits = owed; bits != 0; bits &= bits - 1) {
                SubscriptionEntry holder = address.holder(group, Long.numberOfTrailingZeros(bits));
                holder.owesInRing(-1);
                holder.owesInBacklog(1);
            }
            state.references.settled(sequence, owed);
        }
        state.ring.raiseGate(newGate);
        state.ledger.dropBelow(RingGeometry.blockOf(newGate));
        listener.gateRaised(newGate);
    }

    private boolean discardPortion() {
        Backlog backlog = state.toDiscard.peek();
        if (backlog == null) {
            return false;
        }
        if (backlog.isDue()) {
            discard(backlog);
        }
        if (!backlog.isDue()) {
            state.toDiscard.remove();
            backlog.dequeued();
        }
        return true;
    }

    private void discard(Backlog backlog) {
        BacklogSummary before = backlog.summary();
        boolean sweep = backlog.needsSweep();
        long from = sweep ? before.firstSequence() : backlog.firstOver();
        long to = (sweep ? before.lastSequence() : backlog.lastOver()) + 1;
        BacklogSummary after =
                transactor.run(() -> store.discard(state.epoch, before.addressId(), from, to), tables -> null);
        // What went without being settled one by one gives its place back here.
        long unsettled = before.messages() - after.messages() - backlog.over();
        AddressEntry address = state.catalog.entry(before.addressId());
        if (unsettled > 0 && address != null) {
            long perMessage = before.messages() == 0 ? 0 : before.bytes() / before.messages();
            address.address().quota().freed(unsettled, unsettled * perMessage);
        }
        backlog.discarded(after);
        if (sweep) {
            backlog.swept();
        }
        if (after.messages() == 0) {
            state.backlogs.remove(before.addressId());
        }
    }
}
