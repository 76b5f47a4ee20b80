package io.ringtable.broker.commit;

import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.RetainedMessages;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.catalog.change.LoginChanges;
import io.ringtable.broker.deduplication.Deduplicator;
import io.ringtable.broker.durability.Transactor;
import io.ringtable.broker.message.InboxSettlement;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.RingReads;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.work.CommitListener;
import io.ringtable.broker.work.Committed;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Settle;
import io.ringtable.broker.work.Work;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds one flush: numbers messages, decides which subscriptions owe them, and stages settlements. After the commit it
 * brings memory to the state of the tables. A flush that was rolled back leaves nothing behind.
 * <p>
 * Thread: committer.
 */
final class FlushBuilder {
    /** How far ahead a flush raises the dispatch bound, so that not every flush writes the owner row. */
    static final long DISPATCH_STEP = 8 * RingGeometry.BLOCK;

    private record Copied(SubscriptionEntry entry, long position) {
        Flush.Replayed row() {
            return new Flush.Replayed(entry.subscription().id(), position);
        }
    }

    private final RingState state;
    private final Catalog catalog;
    private final Deduplicator deduplicator;
    private final LoginChanges logins;
    private final SettlementStage settlements;
    private final List<StoredMessage> claims = new ArrayList<>();
    private final List<Committed> messages = new ArrayList<>();
    private final List<Message> duplicates = new ArrayList<>(); // stored already
    private final List<Message> ofOneRecipient = new ArrayList<>(); // claimed for one subscription of their address
    private final List<Completion> completions = new ArrayList<>();
    private final List<Copied> copied = new ArrayList<>(); // how far this flush takes each replay
    private final List<Long> bodiesOver = new ArrayList<>();
    private final List<Long> inboxIds = new ArrayList<>();
    private boolean concernsTables; // an answer depends on more than this node's memory
    private long next;
    private long bytes;

    FlushBuilder(
            RingState state, Deduplicator deduplicator, LoginChanges logins, RingReads store, Transactor transactor) {
        this.state = state;
        this.catalog = state.catalog();
        this.deduplicator = deduplicator;
        this.logins = logins;
        this.settlements = new SettlementStage(state, store, transactor);
        this.next = state.next();
    }

    boolean isEmpty() {
        return messages.isEmpty() && completions.isEmpty() && settlements.isEmpty() && copied.isEmpty();
    }

    /** Returns whether an answer depends on the tables; temporary addresses are in this node's memory only. */
    boolean concernsTables() {
        return concernsTables;
    }

    // ---- what goes into it

    /** Adds a work. @return null, or why the broker refuses the work; then no part of it is in the flush */
    Refusal add(FilteredWork selected) {
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
            if (message.address().quota().isClosed()) {
                return message.address().moves();
            }
            if (message.address().quota().isGoing()) {
                return message.address().goes();
            }
        }
        if (work.recipient() != null && catalog.entryOf(work.recipient()) == null) {
            return new Refusal(
                    Refusal.Reason.NOT_FOUND, "RT-7110", work.recipient() + " is gone: nobody would get the message");
        }
        Refusal refusal = deduplicator.refusal(work.deduplication());
        if (refusal != null) {
            return refusal;
        }
        concernsTables |= work.messages().isEmpty();
        for (int i = 0; i < work.messages().size(); i++) {
            Message message = work.messages().get(i);
            concernsTables |= !message.address().isTemporary();
            if (work.recipient() != null) {
                claimFor(work.recipient(), message);
            } else if (deduplicator.stage(work.deduplication(), i, message)) {
                AddressEntry address = catalog.entry(message.address().id());
                claim(message, selected.masks(i, address.masks()));
            } else {
                duplicates.add(message);
            }
        }
        for (Settle settle : work.settlements()) {
            settlements.stage(settle);
        }
        inboxIds.addAll(work.inboxIds());
        for (InboxSettlement row : work.inboxSettlements()) {
            if (settlements.stage(row)) {
                inboxIds.add(row.id());
            }
        }
        completions.add(work.completion());
        return null;
    }

    /** @param masks the subscriptions that owe it, by group */
    private void claim(Message message, long[] masks) {
        boolean first = true;
        for (int group = 0; group < masks.length; group++) {
            if (masks[group] != 0) {
                claim(message, group, masks[group], first);
                first = false;
            }
        }
        if (first) {
            messages.add(new Committed(message, -1, 0, 0, true)); // owed by no subscription: not stored, no number
        }
    }

    /** @param first whether everybody of the address hears of the message with this row */
    private void claim(Message message, int group, long pending, boolean first) {
        claims.add(new StoredMessage(
                next,
                message.address().id(),
                message.publishedAt(),
                message.priority(),
                message.expiresAt(),
                message.deliverAt(),
                group,
                pending,
                message.bodyId() == 0 ? message.encoded() : null,
                message.bodyId(),
                message.bytes(),
                logins.idOf(message.login())));
        messages.add(new Committed(message, next, group, pending, first));
        next++;
        bytes += message.bytes();
    }

    /** Claims a message for one subscription: no other owes it, and no volatile one hears of it. */
    private void claimFor(Subscription recipient, Message message) {
        claim(message, recipient.group(), recipient.mask(), false);
        ofOneRecipient.add(message);
    }

    /**
     * Adds copies of messages that a topic has kept, for a subscription that began at a time in the past. No other
     * subscription owes them.
     *
     * @param position the sequence below which these copies complete what is kept
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
                    row.bodyBytes(),
                    row.loginId()));
            Message facts = Message.inStore(
                    subscription.address(),
                    row.publishedAt(),
                    row.priority(),
                    row.expiresAt(),
                    row.deliverAt(),
                    row.bodyId());
            // Not the first row of a message, so only the subscription hears of it.
            messages.add(new Committed(facts, next, subscription.group(), subscription.mask(), false));
            next++;
            bytes += row.bodyBytes();
        }
        copied.add(new Copied(entry, position));
    }

    void add(DeliveryReport report) {
        if (report instanceof DeliveryReport.Settled settled) {
            settlements.stage(settled.settle());
            if (settled.completion() != null) {
                concernsTables = true;
                completions.add(settled.completion());
            }
        } else if (report instanceof DeliveryReport.Failed failed) {
            settlements.add(failed.subscription(), failed.redelivery());
        } else if (report instanceof DeliveryReport.DispatchBound bound) {
            settlements.add(bound.subscription(), bound.bound());
        }
    }

    // ---- what it has

    /** Returns how many rows of the ring the flush writes. */
    int messages() {
        return claims.size();
    }

    List<Settle> settled() {
        return settlements.settled();
    }

    /** Returns how many messages are stored already, so that this flush leaves them out. */
    int duplicates() {
        return duplicates.size();
    }

    long bytes() {
        return bytes;
    }

    /** Returns the shard's next once the flush is durable. */
    long next() {
        return next;
    }

    /** Returns the messages of the flush, with those that nobody owes. */
    List<Committed> committedMessages() {
        return messages;
    }

    List<Completion> completions() {
        return completions;
    }

    Flush toFlush() {
        return new Flush(
                state.epoch(),
                state.gate(),
                claims,
                settlements.ringRows(),
                settlements.backlogRows(),
                settlements.redeliveries(),
                settlements.bounds(),
                newDispatchBound(),
                inboxIds,
                deduplicator.produced(),
                deduplicator.duplicateIds(),
                copied.isEmpty() ? List.of() : copied.stream().map(Copied::row).toList());
    }

    private long newDispatchBound() {
        return next - 1 > state.dispatchBound() ? next - 1 + DISPATCH_STEP : Flush.UNCHANGED;
    }

    // ---- what becomes of it

    /** Brings memory to the state of the durable flush, tells the listener, and gives quotas their places back. */
    void committed(CommitListener listener) {
        if (newDispatchBound() != Flush.UNCHANGED) {
            state.dispatchBound(newDispatchBound());
        }
        applyClaims();
        copied.forEach(each -> each.entry().replay().copiedTo(each.position()));
        deduplicator.commit();
        settlements.commit();
        listener.committed(messages, settlements.bounds(), state.epoch());
        bodiesOver.addAll(settlements.settle(listener));
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
            RetainedMessages kept = address.retained();
            if (kept != null && kept.subscription().owes(message.sequence(), message.group(), message.pending())) {
                kept.claimed(messageBytes);
            }
        }
        // These took their places above, as rows that are not the first of their message: the reserved ones go.
        ofOneRecipient.forEach(message -> message.address().quota().release(1, message.bytes()));
    }

    /** Gives back the place in the quota and the staged body of a message that is not stored. */
    private void letGo(Message message) {
        message.address().quota().release(1, message.bytes());
        if (message.bodyId() != 0) {
            bodiesOver.add(message.bodyId());
        }
    }

    /** Returns the bodies in overflow that messages of this flush name. */
    List<Long> bodiesClaimed() {
        List<Long> bodies = new ArrayList<>();
        for (StoredMessage claim : claims) {
            if (claim.bodyId() != 0) {
                bodies.add(claim.bodyId());
            }
        }
        return bodies;
    }

    /**
     * Returns bodies that no message needs. This flush settled their last reference, no subscription ever owed them, or
     * their message was stored before.
     */
    List<Long> bodiesOver() {
        return bodiesOver;
    }

    void rolledBack() {
        deduplicator.rollBack();
        settlements.rollBack();
    }
}
