package io.ringtable.broker.reclaim;

import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.durability.Transactor;
import io.ringtable.broker.state.Backlog;
import io.ringtable.broker.state.Backlogs;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.store.RingReads;
import io.ringtable.broker.store.RingWrites;
import io.ringtable.broker.store.ShardState.BacklogSummary;
import io.ringtable.broker.store.ShardState.OwedCount;
import io.ringtable.broker.store.StoreFailure;

/**
 * Deletes what lies in the backlog and is owed by nobody, portion by portion, each backlog in its turn; gives its places back.
 * <p>
 * Thread: committer, between flushes.
 */
public final class BacklogDiscarder {
    private final RingState state;
    private final Backlogs backlogs;
    private final RingWrites writes;
    private final RingReads reads;
    private final Transactor transactor;

    public BacklogDiscarder(RingState state, RingWrites writes, RingReads reads, Transactor transactor) {
        this.state = state;
        this.backlogs = state.backlogs();
        this.writes = writes;
        this.reads = reads;
        this.transactor = transactor;
    }

    /** Discards a portion of the backlog whose turn it is. @return false if there is none */
    boolean discardPortion() {
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
        return transactor.run(() -> writes.discard(state.epoch(), backlog.addressId(), from, to), tables -> null);
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
        for (OwedCount count : transactor.read(() -> reads.countBacklog(backlog.addressId(), from, to))) {
            for (SubscriptionEntry entry : address.subscriptions()) {
                if (entry.subscription().id() == count.subscriptionId()) {
                    entry.owesInBacklog(count.messages());
                }
            }
        }
    }
}
