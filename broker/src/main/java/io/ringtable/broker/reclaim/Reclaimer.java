package io.ringtable.broker.reclaim;

import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.durability.Transactor;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.state.Backlog;
import io.ringtable.broker.state.Backlogs;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.ShardState.BacklogSummary;
import io.ringtable.broker.store.ShardState.OwedCount;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.work.CommitListener;
import io.ringtable.broker.work.CommitMonitor;
import java.util.List;

/**
 * Keeps room in the ring: clears the stretch behind the gate portion by portion, moving what is still owed into the
 * backlog, and deletes what lies in the backlog and is owed by nobody.
 * <p>
 * Thread: committer, between flushes.
 */
public final class Reclaimer {
    /** A clearing takes so many times what the flush before it claimed. */
    private static final int CLAIMED_SHARE = 8;

    private final RingState state;
    private final Backlogs backlogs;
    private final RingStore store;
    private final Transactor transactor;
    private final CommitListener listener;
    private final CommitMonitor monitor;
    private final int portionMax;
    private final long roomWanted;
    private long nextAtLastTurn;

    public Reclaimer(RingState state, RingStore store, Transactor transactor, CommitListener listener, CommitMonitor monitor) {
        this.state = state;
        this.backlogs = state.backlogs();
        this.store = store;
        this.transactor = transactor;
        this.listener = listener;
        this.monitor = monitor;
        int capacity = state.ring().geometry().capacity();
        // At most a sixteenth of the ring at a time, in whole blocks and never more than a segment; begun while a
        // quarter is free,
        // so that readers who are a little late still find their messages in the ring.
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
            return reclaimed || discardPortion() ? 1 : 0;
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

    private boolean discardPortion() {
        Backlog backlog = backlogs.nextToDiscard();
        if (backlog == null) {
            return false;
        }
        if (backlog.isDue()) {
            discard(backlog);
        }
        backlogs.nextHadItsTurn();
        return true;
    }

    private void discard(Backlog backlog) {
        if (backlog.over() > 0) {
            discardOver(backlog);
        }
        if (backlog.needsSweep()) {
            sweep(backlog);
        }
        backlogs.forgetIfEmpty(backlog);
    }

    /**
     * What lies in a stretch of the address's backlog and went without being settled one by one. The stretch is short.
     *
     * @throws StoreFailure if the store does not take it
     */
    public void discard(AddressEntry address, long from, long to) {
        Backlog backlog = backlogs.find(address.address().id());
        if (backlog == null || from > backlog.summary().lastSequence()) {
            return;
        }
        if (backlog.over() > 0) {
            discardOver(backlog);
        }
        BacklogSummary before = backlog.summary();
        if (before.messages() > 0) {
            BacklogSummary after = discard(backlog, from, to);
            freed(backlog, before.messages() - after.messages(), before.bytes() - after.bytes());
            backlog.discarded(after);
        }
        backlogs.forgetIfEmpty(backlog);
    }

    private void discardOver(Backlog backlog) {
        BacklogSummary before = backlog.summary();
        BacklogSummary after = discard(backlog, backlog.firstOver(), backlog.lastOver() + 1);
        // What went without being settled one by one gives its place back here.
        freed(
                backlog,
                before.messages() - after.messages() - backlog.over(),
                before.bytes() - after.bytes() - backlog.overBytes());
        backlog.discarded(after);
    }

    /** Nothing is known to be over at this moment, so whatever the tables delete gives its place back here. */
    private void sweep(Backlog backlog) {
        long from = backlog.sweepFrom();
        long end = backlog.sweepPortionEnd();
        BacklogSummary before = backlog.summary();
        BacklogSummary after = discard(backlog, from, end);
        freed(backlog, before.messages() - after.messages(), before.bytes() - after.bytes());
        long countEnd = backlog.countEnd(end);
        if (backlog.countFrom() < countEnd) {
            count(backlog, backlog.countFrom(), countEnd);
            backlog.countedTo(countEnd);
        }
        backlog.discarded(after);
        backlog.sweptTo(end);
        if (after.messages() < before.messages()) {
            state.bodiesMayBeLeft(state.gate());
        }
    }

    private BacklogSummary discard(Backlog backlog, long from, long to) {
        return transactor.run(() -> store.discard(state.epoch(), backlog.addressId(), from, to), tables -> null);
    }

    private void freed(Backlog backlog, long messages, long bytes) {
        AddressEntry address = state.catalog().entry(backlog.addressId());
        if (messages != 0 && address != null) {
            address.address().quota().freed(messages, bytes);
        }
    }

    private void count(Backlog backlog, long from, long to) {
        AddressEntry address = state.catalog().entry(backlog.addressId());
        if (address == null) {
            return;
        }
        for (OwedCount count : transactor.read(() -> store.countBacklog(backlog.addressId(), from, to))) {
            for (SubscriptionEntry entry : address.subscriptions()) {
                if (entry.subscription().id() == count.subscriptionId()) {
                    entry.owesInBacklog(count.messages());
                }
            }
        }
    }
}
