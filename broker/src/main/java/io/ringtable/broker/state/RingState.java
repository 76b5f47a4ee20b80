package io.ringtable.broker.state;

import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.ring.FlushLog;
import io.ringtable.broker.ring.Ledger;
import io.ringtable.broker.ring.References;
import io.ringtable.broker.ring.Ring;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.ShardState.BacklogSummary;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.work.Settle;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Holds what the committer knows of its shard, equal to what the tables say. The committer reports what has become
 * durable, and this class draws the consequences. When the last reference to a message goes, its address gets its place
 * back. A body in overflow goes too, or is searched for later.
 * <p>
 * Thread: committer; before it starts, the housekeeper during recovery. Methods that any thread may call say so.
 */
public final class RingState {
    private final Ring ring;
    private final References references;
    private final Ledger ledger;
    private final Catalog catalog;
    private final int inlineBytesMax;
    private final Backlogs backlogs = new Backlogs();
    private final FlushLog flushes = new FlushLog();
    private volatile long epoch; // written by committer, read by housekeeper and stager
    private long dispatchBound;
    private long nextId;
    private long bodiesLeftBelow = -1;
    private long nextAtEpoch; // settlements of earlier epochs at or above it are void

    /** @param inlineBytesMax length of the longest message, in bytes, that needs no body in overflow */
    public RingState(
            Ring ring,
            References references,
            Ledger ledger,
            Catalog catalog,
            int inlineBytesMax,
            long epoch,
            long dispatchBound,
            long nextId) {
        this.ring = ring;
        this.references = references;
        this.ledger = ledger;
        this.catalog = catalog;
        this.inlineBytesMax = inlineBytesMax;
        this.epoch = epoch;
        this.dispatchBound = dispatchBound;
        this.nextId = nextId;
        this.nextAtEpoch = ring.next();
    }

    public Catalog catalog() {
        return catalog;
    }

    public Backlogs backlogs() {
        return backlogs;
    }

    /** Returns the ledger of the ring; {@link Backlog#ledger} is that of a backlog. */
    public Ledger ledger() {
        return ledger;
    }

    /** Returns the latest flushes. Thread: any asks. */
    public FlushLog flushes() {
        return flushes;
    }

    // ---- the owner's row

    /** Returns the present epoch. Thread: any. */
    public long epoch() {
        return epoch;
    }

    public void tookEpoch(long taken) {
        epoch = taken;
    }

    /** Notes that numbers from here on may go to other messages than before: the database may have fallen back. */
    public void numbersAreNewFrom(long next) {
        nextAtEpoch = next;
    }

    /** Answers whether a database that fell back may have given the number to another message since. */
    public boolean isVoid(Settle settle) {
        return settle.epoch() < epoch && settle.sequence() >= nextAtEpoch;
    }

    /** Returns the id that the next row of the catalogue gets. */
    public long nextId() {
        return nextId;
    }

    public void usedIds(int count) {
        nextId += count;
    }

    /** Returns the dispatch bound: no delivered message is above it. */
    public long dispatchBound() {
        return dispatchBound;
    }

    public void dispatchBound(long bound) {
        dispatchBound = bound;
    }

    // ---- where the ring stands

    /** Returns where the ring stands, a little behind. Thread: any. */
    public Ring ring() {
        return ring;
    }

    public long gate() {
        return ring.gate();
    }

    public long next() {
        return ring.next();
    }

    public boolean isInRing(long sequence) {
        return sequence >= ring.gate();
    }

    // ---- what lies in the ring

    /** Answers whether the subscription still owes the message, which lies in the ring. */
    public boolean isOwedInRing(long sequence, Subscription subscription) {
        return references.addressId(sequence) == subscription.address().id()
                && subscription.owes(sequence, references.group(sequence), references.owed(sequence));
    }

    /** Returns the bits of the message's group that still owe it. */
    public long owed(long sequence) {
        return references.owed(sequence);
    }

    /** Returns the length of the encoded message. */
    public int bytes(long sequence) {
        return references.bytes(sequence);
    }

    public boolean mayHaveBodyInOverflow(long sequence) {
        return references.bytes(sequence) > inlineBytesMax;
    }

    /** Answers whether the message was published to the subscription's address for its group. */
    public boolean isOfGroup(long sequence, Subscription subscription) {
        return sequence < ring.next()
                && references.addressId(sequence) == subscription.address().id()
                && references.group(sequence) == subscription.group();
    }

    /** Keeps from now on when messages of the ring were published. */
    public void keepTimes() {
        references.keepTimes();
    }

    /** Returns when the message was published, in ms since the epoch; known only since {@link #keepTimes}. */
    public long publishedAt(long sequence) {
        return references.publishedAt(sequence);
    }

    /** Returns how many messages the one subscription of a queue owes, in ring and backlog. */
    public long owed(AddressEntry queue) {
        Backlog backlog = backlogs.find(queue.address().id());
        return queue.subscriptions().get(0).owedInRing()
                + (backlog == null ? 0 : backlog.summary().messages() - backlog.over());
    }

    public int countOwed(long from, long to) {
        return references.countOwed(from, to);
    }

    // ---- messages come

    public void claimed(List<StoredMessage> claims) {
        ring.claimed(claims.size());
        for (StoredMessage claim : claims) {
            put(
                    claim.sequence(),
                    claim.addressId(),
                    claim.group(),
                    claim.pending(),
                    claim.bodyBytes(),
                    claim.publishedAt());
        }
    }

    private void put(long sequence, long addressId, int group, long owed, int bytes, long publishedAt) {
        references.claimed(sequence, addressId, group, owed, bytes);
        if (references.keepsTimes()) {
            references.published(sequence, publishedAt);
        }
    }

    // ---- messages go

    /** Applies the settlements of one flush. @return bodies in overflow that nobody needs any more */
    public List<Long> settled(List<Settle> settlements) {
        Set<Long> overInBacklog = new HashSet<>(); // two last references may be settled by one flush
        List<Long> bodies = new ArrayList<>();
        for (Settle settle : settlements) {
            SubscriptionEntry entry = catalog.entryOf(settle.subscription());
            boolean over = isInRing(settle.sequence())
                    ? settleInRing(entry, settle.sequence())
                    : settleInBacklog(entry, settle) && overInBacklog.add(settle.sequence());
            if (over) {
                isOver(settle, bodies);
            }
        }
        return bodies;
    }

    /** @return whether the last reference went */
    private boolean settleInRing(SubscriptionEntry entry, long sequence) {
        entry.owesInRing(-1);
        return references.settled(sequence, entry.subscription().mask());
    }

    /** @return whether the last reference went, or one of several last ones */
    private boolean settleInBacklog(SubscriptionEntry entry, Settle settle) {
        Backlog backlog = backlogs.find(entry.subscription().address().id());
        if (backlog.isCounted(settle.sequence())) {
            entry.owesInBacklog(-1);
        }
        return nobodyOwes(settle, backlog);
    }

    private boolean nobodyOwes(Settle settle, Backlog backlog) {
        AddressEntry address = catalog.entry(settle.subscription().address().id());
        for (long bits = settle.pending(); bits != 0; bits &= bits - 1) {
            int bit = Long.numberOfTrailingZeros(bits);
            SubscriptionEntry holder = address.holder(settle.group(), bit);
            if (holder != null
                    && holder.subscription().owes(settle.sequence(), settle.group(), settle.pending())
                    && !backlog.isSettled(settle.sequence(), bit)) {
                return false;
            }
        }
        return true;
    }

    private void isOver(Settle settle, List<Long> bodies) {
        Address address = settle.subscription().address();
        if (!isInRing(settle.sequence())) {
            Backlog backlog = backlogs.find(address.id());
            backlog.isOver(settle.sequence(), settle.bytes());
            backlogs.over(backlog);
        }
        address.quota().freed(1, settle.bytes());
        if (settle.bodyId() == 0) {
            return;
        }
        // If several rows name the body, only the tables know whether one of them is still owed.
        if (settle.bodyId() != Settle.BODY_UNKNOWN
                && catalog.entry(address.id()).namesBodiesOnce()) {
            bodies.add(settle.bodyId());
        } else {
            bodiesMayBeLeft(settle.sequence() + 1);
        }
    }

    /** Settles all that the subscription owes of {@code [from, to)} in the ring, in one go. */
    public void settledInRing(SubscriptionEntry entry, long from, long to) {
        Subscription subscription = entry.subscription();
        for (long sequence = from; sequence < to; sequence++) {
            if (isOwedInRing(sequence, subscription) && settleInRing(entry, sequence)) {
                isOverUnseen(subscription.address(), sequence);
            }
        }
    }

    /** Frees a message of the ring whose last reference went without a settlement of its own. */
    private void isOverUnseen(Address address, long sequence) {
        address.quota().freed(1, references.bytes(sequence));
        if (mayHaveBodyInOverflow(sequence)) {
            bodiesMayBeLeft(sequence + 1);
        }
    }

    /** Drops the references of a subscription; messages that nobody else owes give their places back. */
    public void forget(Subscription subscription) {
        for (long sequence = ring.gate(); sequence < ring.next(); sequence++) {
            if (isOwedInRing(sequence, subscription) && references.settled(sequence, subscription.mask())) {
                isOverUnseen(subscription.address(), sequence);
            }
        }
        backlogs.sweep(subscription.address().id());
    }

    /**
     * Drops all references to an address's messages. Publishers that wait for a place get one, send, and hear that the
     * address is gone.
     */
    public void forget(Address address) {
        for (long sequence = ring.gate(); sequence < ring.next(); sequence++) {
            long owed = references.owed(sequence);
            if (owed != 0 && references.addressId(sequence) == address.id()) {
                references.settled(sequence, owed);
                isOverUnseen(address, sequence);
            }
        }
        Backlog backlog = backlogs.find(address.id());
        if (backlog != null) {
            address.quota()
                    .freed(
                            backlog.summary().messages() - backlog.over(),
                            backlog.summary().bytes() - backlog.overBytes());
            backlogs.sweep(address.id());
        }
    }

    // ---- messages move

    /**
     * Follows the clearing of the ring up to the new gate: what was still owed lies in the backlog.
     *
     * @param grown the backlogs that rows were moved to
     */
    public void moved(long newGate, List<BacklogSummary> grown) {
        grown.forEach(backlogs::grew);
        for (long sequence = ring.gate(); sequence < newGate; sequence++) {
            long owed = references.owed(sequence);
            if (owed != 0) {
                moved(sequence, owed);
            }
        }
        ring.raiseGate(newGate);
        ledger.dropBelow(RingGeometry.blockOf(newGate));
    }

    private void moved(long sequence, long owed) {
        AddressEntry address = catalog.entry(references.addressId(sequence));
        int group = references.group(sequence);
        if (address.subscriptions().size() > 1) {
            Backlog backlog = backlogs.find(address.address().id());
            for (long bits = address.held(group) & ~owed; bits != 0; bits &= bits - 1) {
                backlog.settledBeforeMove(sequence, Long.numberOfTrailingZeros(bits));
            }
        }
        for (long bits = owed; bits != 0; bits &= bits - 1) {
            SubscriptionEntry holder = address.holder(group, Long.numberOfTrailingZeros(bits));
            holder.owesInRing(-1);
            holder.owesInBacklog(1);
        }
        references.settled(sequence, owed);
    }

    // ---- bodies in overflow

    /** Plans a search for bodies whose last reference went unseen, once the gate has reached the sequence. */
    public void bodiesMayBeLeft(long sequence) {
        bodiesLeftBelow = Math.max(bodiesLeftBelow, sequence);
    }

    /** Answers whether it is time to search for those bodies; says yes once. */
    public boolean takeBodiesLeft() {
        boolean due = bodiesLeftBelow >= 0 && ring.gate() >= bodiesLeftBelow && !backlogs.hasSomeToDiscard();
        if (due) {
            bodiesLeftBelow = -1;
        }
        return due;
    }

    // ---- recovery

    /** Adds the recovered backlog of one address. */
    public void recovered(BacklogSummary summary) {
        backlogs.recovered(summary);
    }

    /** Adds a recovered ring row with the bits that live subscriptions still owe. */
    public void recovered(long sequence, long addressId, int group, long owed, int bytes, long publishedAt) {
        put(sequence, addressId, group, owed, bytes, publishedAt);
    }

    // ---- for status and metrics

    /** Returns the number of rows in the backlog, a little behind. Thread: any. */
    public long backlogMessages() {
        return backlogs.messages();
    }
}
