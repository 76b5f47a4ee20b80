package io.ringtable.broker.commit;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.InboxSettlement;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.Ledger;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoredMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The work of one flush: it numbers messages, decides who owes them, stages settlements, and after the commit moves
 * the memory to where the tables are. A batch that was rolled back leaves nothing behind.
 * <p>
 * Thread: committer.
 */
final class Batch {
    /** How far the dispatch bound is raised ahead, so that not every flush writes the owner row. */
    static final long DISPATCH_STEP = 8 * RingGeometry.BLOCK;

    /** Failures of a message that an application has settled: whether there were any is not known, so their row is removed. */
    private static final int MAY_HAVE_FAILED = 1;

    private record RedeliveryKey(long sequence, long subscriptionId) {}

    private record Copied(SubscriptionEntry entry, long position) {
        Flush.Replayed row() {
            return new Flush.Replayed(entry.subscription().id(), position);
        }
    }

    private final RingState state;
    private final Catalog catalog;
    private final StoredOnce once;
    private final RingStore store;
    private final Transactor transactor;
    private final List<StoredMessage> claims = new ArrayList<>();
    private final List<Committed> messages = new ArrayList<>();
    private final List<Message> duplicates = new ArrayList<>(); // stored already
    private final List<Completion> completions = new ArrayList<>();
    private final List<Settle> settled = new ArrayList<>();
    private final List<Settle> settledElsewhere = new ArrayList<>(); // those of them that come from the inbox
    private final Map<RedeliveryKey, Flush.Redelivery> redeliveries = new LinkedHashMap<>();
    private final Map<Long, Flush.DispatchedTo> bounds = new LinkedHashMap<>();
    private final Map<Long, Backlog> backlogsTouched = new HashMap<>();
    private final List<Copied> copied = new ArrayList<>(); // how far they take subscriptions that are catching up
    private final List<Long> bodiesOver = new ArrayList<>();
    private final List<Long> inboxIds = new ArrayList<>();
    private boolean concernsTables; // somebody hears of more than what this node alone has in memory
    private long next;
    private long bytes;

    Batch(RingState state, RingStore store, Transactor transactor) {
        this.state = state;
        this.catalog = state.catalog();
        this.once = state.once();
        this.store = store;
        this.transactor = transactor;
        this.next = state.next();
    }

    boolean isEmpty() {
        return messages.isEmpty()
                && completions.isEmpty()
                && settled.isEmpty()
                && redeliveries.isEmpty()
                && bounds.isEmpty()
                && copied.isEmpty();
    }

    /** Whether somebody hears of what only the tables can say; temporary addresses are this node's alone. */
    boolean concernsTables() {
        return concernsTables;
    }

    /** @return null, or why the work cannot be done; then nothing of it is in the batch */
    Refusal add(Selected selected) {
        Work work = selected.work();
        for (Message message : work.messages()) {
            if (catalog.entry(message.address().id()) == null) {
                return new Refusal(
                        Refusal.Reason.NOT_FOUND,
                        "RT-2010",
                        message.address()
                                + (message.address().isTemporary()
                                        ? " is gone with the link that made it"
                                        : " was deleted: attach to it anew to create it"));
            }
        }
        Refusal refusal = once.refusal(work.once());
        if (refusal != null) {
            return refusal;
        }
        concernsTables |= work.messages().isEmpty();
        for (int i = 0; i < work.messages().size(); i++) {
            Message message = work.messages().get(i);
            concernsTables |= !message.address().isTemporary();
            if (once.stage(work.once(), i, message)) {
                AddressEntry address = catalog.entry(message.address().id());
                claim(message, selected.masks(i, address.masks()));
            } else {
                duplicates.add(message);
            }
        }
        for (Settle settle : work.settlements()) {
            stage(settle);
        }
        inboxIds.addAll(work.inboxIds());
        work.inboxSettlements().forEach(this::stage);
        completions.add(work.completion());
        return null;
    }

    /** @param masks who owes it, by group */
    private void claim(Message message, long[] masks) {
        boolean first = true;
        for (int group = 0; group < masks.length; group++) {
            if (masks[group] == 0) {
                continue;
            }
            claims.add(new StoredMessage(
                    next,
                    message.address().id(),
                    message.publishedAt(),
                    message.priority(),
                    message.expiresAt(),
                    message.deliverAt(),
                    group,
                    masks[group],
                    message.bodyId() == 0 ? message.encoded() : null,
                    message.bodyId(),
                    message.bytes()));
            messages.add(new Committed(message, next, group, masks[group], first));
            first = false;
            next++;
            bytes += message.bytes();
        }
        if (first) {
            messages.add(new Committed(message, -1, 0, 0, true)); // nobody owes it: neither stored nor numbered
        }
    }

    /**
     * Messages that a topic has kept, once more for a subscription that began at a time in the past, which owes them alone.
     *
     * @param position everything that is kept below has been copied with them
     */
    void copy(SubscriptionEntry entry, List<StoredMessage> rows, long position) {
        Subscription subscription = entry.subscription();
        for (StoredMessage row : rows) {
            claims.add(new StoredMessage(
                    next,
                    row.addressId(),
                    row.publishedAt(),
                    row.priority(),
                    row.expiresAt(),
                    row.deliverAt(),
                    subscription.group(),
                    subscription.mask(),
                    row.body(),
                    row.bodyId(),
                    row.bodyBytes()));
            Message facts = Message.inStore(
                    subscription.address(),
                    row.publishedAt(),
                    row.priority(),
                    row.expiresAt(),
                    row.deliverAt(),
                    row.bodyId());
            // Not the first row of a message: nobody but the subscription is to hear of it.
            messages.add(new Committed(facts, next, subscription.group(), subscription.mask(), false));
            next++;
            bytes += row.bodyBytes();
        }
        copied.add(new Copied(entry, position));
    }

    /** @param completion null if nobody waits */
    void add(Settle settle, Completion completion) {
        stage(settle);
        if (completion != null) {
            concernsTables = true;
            completions.add(completion);
        }
    }

    private void stage(Settle settle) {
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
     * A row of the inbox. One whose message has moved to the backlog since it was read stays there, and is read again with
     * what the backlog knows of it.
     */
    private void stage(InboxSettlement row) {
        boolean inRing = state.isInRing(row.sequence());
        if (row.place() == InboxSettlement.Place.RING && !inRing) {
            return;
        }
        inboxIds.add(row.id());
        SubscriptionEntry entry = catalog.entry(row.addressId(), row.subscriptionId());
        if (entry == null
                || row.place() == InboxSettlement.Place.NOWHERE
                || entry.subscription().isRetention()) {
            return;
        }
        Subscription subscription = entry.subscription();
        if (inRing ? !state.isOfGroup(row.sequence(), subscription) : (row.pending() & subscription.mask()) == 0) {
            return; // it never owed it: somebody made the delivery up
        }
        Settle settle = inRing ? inRing(row, subscription) : inBacklog(row, subscription);
        int before = settled.size();
        stage(settle);
        if (settled.size() > before) {
            settledElsewhere.add(settle);
        }
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
                MAY_HAVE_FAILED);
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
                MAY_HAVE_FAILED);
    }

    /** The ledger that the gate names; null if the message is not owed there any more: it had been settled before. */
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

    /** Of a subscription that is gone nothing is kept, nor of a message that was settled meanwhile. */
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

    void add(Subscription subscription, Flush.DispatchedTo bound) {
        if (catalog.entryOf(subscription) != null) {
            bounds.put(bound.subscriptionId(), bound);
        }
    }

    int messages() {
        return claims.size();
    }

    int settlements() {
        return settled.size();
    }

    /** Messages that are stored already, and not by this flush again. */
    int duplicates() {
        return duplicates.size();
    }

    long bytes() {
        return bytes;
    }

    long next() {
        return next;
    }

    List<Completion> completions() {
        return completions;
    }

    Flush toFlush() {
        List<Flush.Settlement> rows = new ArrayList<>();
        state.ledger().forEachStaged((block, bit, image) -> rows.add(new Flush.Settlement(block, bit, image)));
        List<Flush.BacklogSettlement> backlogRows = new ArrayList<>();
        backlogsTouched.forEach((addressId, backlog) -> backlog.ledger()
                .forEachStaged((block, bit, image) ->
                        backlogRows.add(new Flush.BacklogSettlement(addressId, block, bit, image))));
        return new Flush(
                state.epoch(),
                state.gate(),
                claims,
                rows,
                backlogRows,
                List.copyOf(redeliveries.values()),
                List.copyOf(bounds.values()),
                newDispatchBound(),
                inboxIds,
                once.produced(),
                once.duplicateIds(),
                copied.isEmpty() ? List.of() : copied.stream().map(Copied::row).toList());
    }

    private long newDispatchBound() {
        return next - 1 > state.dispatchBound() ? next - 1 + DISPATCH_STEP : Flush.UNCHANGED;
    }

    /** The flush is durable: memory follows, the listener hears of it, quotas get their places back. */
    void committed(CommitListener listener) {
        if (newDispatchBound() != Flush.UNCHANGED) {
            state.dispatchBound(newDispatchBound());
        }
        applyClaims();
        copied.forEach(each -> each.entry().replay().copiedTo(each.position()));
        state.ledger().commit();
        once.commit();
        backlogsTouched.values().forEach(backlog -> backlog.ledger().commit());
        listener.committed(messages, List.copyOf(bounds.values()), state.epoch());
        bodiesOver.addAll(state.settled(settled));
        if (!settledElsewhere.isEmpty()) {
            listener.settledElsewhere(settledElsewhere);
        }
    }

    private void applyClaims() {
        state.claimed(claims);
        duplicates.forEach(this::letGo);
        for (Committed message : messages) {
            AddressEntry address = catalog.entry(message.message().address().id());
            if (message.sequence() < 0) {
                letGo(message.message());
                continue;
            }
            int messageBytes = state.bytes(message.sequence());
            if (!message.first()) {
                address.address().quota().occupied(1, messageBytes);
            }
            for (long bits = message.pending(); bits != 0; bits &= bits - 1) {
                address.holder(message.group(), Long.numberOfTrailingZeros(bits))
                        .owesInRing(1);
            }
            Kept kept = address.kept();
            if (kept != null && kept.subscription().owes(message.sequence(), message.group(), message.pending())) {
                kept.claimed(messageBytes);
            }
        }
    }

    /** It is not stored: neither its place in the quota nor its staged body is needed. */
    private void letGo(Message message) {
        message.address().quota().release(1, message.bytes());
        if (message.bodyId() != 0) {
            bodiesOver.add(message.bodyId());
        }
    }

    /** Bodies in overflow that messages of this flush name. */
    List<Long> bodiesClaimed() {
        List<Long> bodies = new ArrayList<>();
        for (StoredMessage claim : claims) {
            if (claim.bodyId() != 0) {
                bodies.add(claim.bodyId());
            }
        }
        return bodies;
    }

    /** Bodies whose last reference this flush settled, that nobody owed from the beginning, or whose message was stored before. */
    List<Long> bodiesOver() {
        return bodiesOver;
    }

    void rolledBack() {
        state.ledger().rollBack();
        once.rollBack();
        backlogsTouched.values().forEach(backlog -> backlog.ledger().rollBack());
    }
}
