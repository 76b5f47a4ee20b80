package io.ringtable.broker.commit;

import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.durability.Transactor;
import io.ringtable.broker.message.InboxSettlement;
import io.ringtable.broker.ring.Ledger;
import io.ringtable.broker.state.Backlog;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.RingReads;
import io.ringtable.broker.work.CommitListener;
import io.ringtable.broker.work.Settle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Stages settlements of one flush in the ledgers of ring and backlogs, with the failed deliveries and the dispatch
 * bounds that go with them. After the commit the state of the ring follows. A rollback leaves nothing behind.
 * <p>
 * Thread: committer.
 */
final class SettlementStage {
    /** Stands for the unknown failures of a message that an application has settled, so that a redelivery row goes. */
    private static final int MAY_HAVE_FAILED = 1;

    private record RedeliveryKey(long sequence, long subscriptionId) {}

    private final RingState state;
    private final Catalog catalog;
    private final RingReads store;
    private final Transactor transactor;
    private final List<Settle> settled = new ArrayList<>();
    private final List<Settle> settledElsewhere = new ArrayList<>(); // those of them that come from the inbox
    private final Map<RedeliveryKey, Flush.Redelivery> redeliveries = new LinkedHashMap<>();
    private final Map<Long, Flush.DispatchBound> bounds = new LinkedHashMap<>();
    private final Map<Long, Backlog> backlogsTouched = new HashMap<>();

    SettlementStage(RingState state, RingReads store, Transactor transactor) {
        this.state = state;
        this.catalog = state.catalog();
        this.store = store;
        this.transactor = transactor;
    }

    boolean isEmpty() {
        return settled.isEmpty() && redeliveries.isEmpty() && bounds.isEmpty();
    }

    /** Returns the settlements that the flush makes durable. */
    List<Settle> settled() {
        return settled;
    }

    /** Stages a settlement, unless its subscription is gone or the message was settled before. */
    void stage(Settle settle) {
        Subscription subscription = settle.subscription();
        if (catalog.entryOf(subscription) == null || state.isVoid(settle)) {
            return;
        }
        Ledger ledger = ledgerOf(settle);
        if (ledger != null && ledger.stage(settle.sequence(), subscription.bit())) {
            settled.add(settle);
            if (settle.failures() > 0) {
                add(subscription, new Flush.Redelivery(settle.sequence(), subscription.id(), 0, 0));
            }
        }
    }

    /**
     * Stages a row of the inbox. If its message has moved to the backlog since the collector read it, the row stays.
     * The collector then reads it again with what the backlog knows of the message.
     *
     * @return whether the row is done with
     */
    boolean stage(InboxSettlement row) {
        boolean inRing = state.isInRing(row.sequence());
        if (row.place() == InboxSettlement.Place.RING && !inRing) {
            return false;
        }
        SubscriptionEntry entry = catalog.entry(row.addressId(), row.subscriptionId());
        if (entry == null
                || row.place() == InboxSettlement.Place.NOWHERE
                || entry.subscription().isRetention()) {
            return true;
        }
        Subscription subscription = entry.subscription();
        if (inRing ? !state.isOfGroup(row.sequence(), subscription) : (row.pending() & subscription.mask()) == 0) {
            return true; // the subscription never owed the message: an application made the delivery up
        }
        Settle settle = inRing ? inRing(row, subscription) : inBacklog(row, subscription);
        int before = settled.size();
        stage(settle);
        if (settled.size() > before) {
            settledElsewhere.add(settle);
        }
        return true;
    }

    private Settle inRing(InboxSettlement row, Subscription subscription) {
        long sequence = row.sequence();
        return new Settle(
                subscription,
                sequence,
                state.epoch(),
                subscription.group(),
                state.owed(sequence),
                state.bytes(sequence),
                state.mayHaveBodyInOverflow(sequence) ? Settle.BODY_UNKNOWN : 0,
                MAY_HAVE_FAILED,
                null);
    }

    private Settle inBacklog(InboxSettlement row, Subscription subscription) {
        return new Settle(
                subscription,
                row.sequence(),
                state.epoch(),
                subscription.group(),
                row.pending(),
                row.bytes(),
                row.bodyId(),
                MAY_HAVE_FAILED,
                null);
    }

    /**
     * Returns the ledger that the gate names; null if the message is not owed there any more, as it was settled before.
     */
    private Ledger ledgerOf(Settle settle) {
        long sequence = settle.sequence();
        if (state.isInRing(sequence)) {
            return state.isOwedInRing(sequence, settle.subscription()) ? state.ledger() : null;
        }
        long addressId = settle.subscription().address().id();
        Backlog backlog = state.backlogs().find(addressId);
        if (backlog == null
                || sequence < backlog.summary().firstSequence()
                || sequence > backlog.summary().lastSequence()) {
            return null;
        }
        loadLedger(addressId, backlog);
        backlogsTouched.put(addressId, backlog);
        return backlog.ledger();
    }

    private void loadLedger(long addressId, Backlog backlog) {
        if (!backlog.isLedgerLoaded()) {
            backlog.load(transactor.read(() -> store.readBacklogLedger(addressId)));
        }
    }

    /** Adds a redelivery row, unless the subscription is gone or the message was settled meanwhile. */
    void add(Subscription subscription, Flush.Redelivery redelivery) {
        if (catalog.entryOf(subscription) != null
                && (redelivery.count() == 0 || mayBeOwed(subscription, redelivery.sequence()))) {
            redeliveries.put(new RedeliveryKey(redelivery.sequence(), redelivery.subscriptionId()), redelivery);
        }
    }

    private boolean mayBeOwed(Subscription subscription, long sequence) {
        if (state.isInRing(sequence)) {
            return state.isOwedInRing(sequence, subscription);
        }
        long addressId = subscription.address().id();
        Backlog backlog = state.backlogs().find(addressId);
        if (backlog == null) {
            return false;
        }
        loadLedger(addressId, backlog);
        return !backlog.isSettled(sequence, subscription.bit());
    }

    void add(Subscription subscription, Flush.DispatchBound bound) {
        if (catalog.entryOf(subscription) != null) {
            bounds.put(bound.subscriptionId(), bound);
        }
    }

    // ---- what the flush writes

    /** Returns the ledger rows of the ring. */
    List<Flush.Settlement> ringRows() {
        List<Flush.Settlement> rows = new ArrayList<>();
        state.ledger().forEachStaged((block, bit, image) -> rows.add(new Flush.Settlement(block, bit, image)));
        return rows;
    }

    List<Flush.BacklogSettlement> backlogRows() {
        List<Flush.BacklogSettlement> rows = new ArrayList<>();
        backlogsTouched.forEach((addressId, backlog) -> backlog.ledger()
                .forEachStaged(
                        (block, bit, image) -> rows.add(new Flush.BacklogSettlement(addressId, block, bit, image))));
        return rows;
    }

    List<Flush.Redelivery> redeliveries() {
        return List.copyOf(redeliveries.values());
    }

    List<Flush.DispatchBound> bounds() {
        return List.copyOf(bounds.values());
    }

    // ---- what became of it

    /** Makes the staged ledgers final: the flush is durable. */
    void commit() {
        state.ledger().commit();
        backlogsTouched.values().forEach(backlog -> backlog.ledger().commit());
    }

    /**
     * Tells the state of the ring what is settled, and the listener what applications have settled.
     *
     * @return bodies that nobody needs any more
     */
    List<Long> settle(CommitListener listener) {
        List<Long> bodies = state.settled(settled);
        if (!settledElsewhere.isEmpty()) {
            listener.settledElsewhere(settledElsewhere);
        }
        return bodies;
    }

    void rollBack() {
        state.ledger().rollBack();
        backlogsTouched.values().forEach(backlog -> backlog.ledger().rollBack());
    }
}
