package io.ringtable.broker.commit;

import io.ringtable.broker.agent.Agent;
import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.agent.ThreadOwner;
import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.change.CatalogChangeQueue;
import io.ringtable.broker.catalog.change.CatalogChanges;
import io.ringtable.broker.durability.CatalogWriter;
import io.ringtable.broker.durability.Reconciler;
import io.ringtable.broker.durability.Transactor;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.overflow.Stager;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.reclaim.Reclaimer;
import io.ringtable.broker.replay.Replays;
import io.ringtable.broker.retention.RetainedSearch;
import io.ringtable.broker.retention.Retentions;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.work.CommitListener;
import io.ringtable.broker.work.CommitMonitor;
import io.ringtable.broker.work.CommitterMailbox;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Settle;
import io.ringtable.broker.work.Work;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns everything handed in since the last flush into one transaction, then passes it on.
 * <p>
 * Thread: {@code committer}. Others come through {@link CommitterMailbox}, which it is, and {@link #catalog()}; a full
 * inbox refuses and links stop granting credit.
 * <p>
 * Failure: an unknown outcome is read from the tables, never guessed ({@link Reconciler}); a row that the store refuses
 * is found by halving and refused alone; what cannot be cured ends the agent with {@link ShardStopped}.
 */
public final class Committer implements Agent, CommitterMailbox {
    private static final Logger LOG = LoggerFactory.getLogger(Committer.class);
    private static final long NOT_WRITABLE_PAUSE_NANOS = 20_000_000;

    private final CommitSettings settings;
    private final RingStore store;
    private final RingState state;
    private final Lease lease;
    private final CommitListener listener;
    private final CommitMonitor monitor;
    private final Doorbell doorbell;
    private final DisruptorMailbox inbox;
    private final SelectorFilter selecting;
    private final GroupCommitDelay linger;
    private final Transactor transactor;
    private final CatalogChanges clerk;
    private final CatalogChangeQueue catalog;
    private final Reclaimer reclaimer;
    private final Retentions retentions;
    private final Replays replays;
    private final Stager stager;
    private final ThreadOwner owner = new ThreadOwner("the committer's state");
    private final int batchMessagesMax;
    private List<DeliveryReport> notes = new ArrayList<>(); // taken from the inbox, not yet durable
    private boolean troubled; // the store takes no writes
    private long notesSince; // nanoTime when the oldest of them was taken

    /**
     * @param retentionPolicies how much topics keep, by name
     * @param clockMs ms since the epoch
     * @param lease until when anybody may hear an outcome
     */
    public Committer(
            CommitSettings settings,
            Function<String, Retention> retentionPolicies,
            LongSupplier clockMs,
            RingStore store,
            RingState state,
            Reconciler reconciler,
            Lease lease,
            CommitListener listener,
            CommitMonitor monitor,
            Doorbell doorbell) {
        this.settings = settings;
        this.store = store;
        this.state = state;
        this.lease = lease;
        this.listener = listener;
        this.monitor = monitor;
        this.doorbell = doorbell;
        this.inbox = new DisruptorMailbox(settings, doorbell);
        this.selecting = new SelectorFilter(state.catalog(), clockMs);
        this.linger = new GroupCommitDelay(settings.lingerMicros());
        this.transactor = new Transactor(state, reconciler);
        RetainedSearch history = new RetainedSearch(state, store, transactor);
        CatalogWriter alterations = new CatalogWriter(state, store, transactor);
        this.clerk = new CatalogChanges(state, alterations, listener, settings, history, retentionPolicies, clockMs);
        this.catalog = new CatalogChangeQueue(state.catalog(), clerk, doorbell);
        this.reclaimer = new Reclaimer(state, store, transactor, listener, monitor);
        this.retentions =
                new Retentions(state, store, alterations, history, clerk, reclaimer, retentionPolicies, clockMs);
        this.replays = new Replays(state, store, transactor, alterations, this::writeCopies, clockMs);
        this.stager = new Stager(store, state::epoch);
        state.once().begin(settings.duplicateIds());
        this.batchMessagesMax =
                Math.min(settings.batchMessagesMax(), store.limits().flushMessagesMax());
    }

    @Override
    public String roleName() {
        return "committer";
    }

    @Override
    public int doWork() {
        owner.check();
        requireLease();
        int done = retentions.doWork() + clerk.doWork();
        List<FilteredWork> works = takeWorks();
        takeNotes();
        if (!works.isEmpty() || notesAreDue()) {
            flushWithNotes(works);
            done += 1;
        }
        done += selecting.isEmpty() ? 0 : 1;
        inbox.announceRoom();
        done += replays.doWork();
        if (reclaimer.isDue()) {
            flushNotes();
        }
        done += reclaimer.doWork();
        if (state.takeBodiesLeft()) {
            stager.unstageOrphans();
        }
        return done;
    }

    private void flushWithNotes(List<FilteredWork> works) {
        List<DeliveryReport> taken = notes;
        notes = new ArrayList<>();
        flush(works, taken);
    }

    /** What is settled before its stretch of the ring is cleared need not be moved to the backlog. */
    private void flushNotes() {
        takeNotes();
        if (!notes.isEmpty()) {
            flushWithNotes(List.of());
        }
    }

    /** As many works as one flush takes, in order; the rest waits in the inbox, or until subscriptions have been asked about it. */
    private List<FilteredWork> takeWorks() {
        FlushPlan next = new FlushPlan(batchMessagesMax, settings.batchBytesMax());
        selecting.begin();
        takeSelected(next); // of earlier turns
        takeFromInbox(next);
        takeSelected(next);
        return next.works();
    }

    private void takeSelected(FlushPlan next) {
        for (FilteredWork work; (work = selecting.peek()) != null && take(work, next); ) {
            selecting.take();
        }
    }

    private void takeFromInbox(FlushPlan next) {
        linger.begin();
        int asked = 0;
        for (Work work; asked < batchMessagesMax && (work = nextWork(next)) != null; inbox.take()) {
            if (selecting.concerns(work)) {
                selecting.add(work);
                asked++;
            } else if (!take(FilteredWork.whole(work), next)) {
                return;
            }
        }
    }

    /** @return false if the flush is full */
    private boolean take(FilteredWork selected, FlushPlan next) {
        FlushPlan.Size size = FlushPlan.Size.of(selected.work(), state.catalog());
        if (!next.hasRoomFor(size)) {
            return false;
        }
        Refusal refusal = makeRoomFor(size.slots(), next.slots());
        if (refusal == null) {
            next.add(selected, size);
        } else {
            refuse(selected.work(), refusal);
        }
        return true;
    }

    /** @return null if the inbox is empty and the flush waits no longer for company */
    private Work nextWork(FlushPlan next) {
        Work work = inbox.peek();
        while (work == null && selecting.isEmpty() && linger.step(next.works(), next.slots())) {
            work = inbox.peek();
        }
        return work;
    }

    /** @return null, or why there is no room for the work beside what the batch already has */
    private Refusal makeRoomFor(int slots, int taken) {
        int most =
                Math.min(state.ring().geometry().capacity() / 2, store.limits().flushMessagesMax());
        if (slots > most) {
            return new Refusal(
                    Refusal.Reason.LIMIT,
                    "RT-2015",
                    "a transaction of " + slots + " rows is more than one flush takes, " + most
                            + " (half of ring.capacity="
                            + state.ring().geometry().capacity() + ", and at most "
                            + store.limits().flushMessagesMax() + " on "
                            + store.limits().engine()
                            + "): commit more often");
        }
        try {
            if (state.ring().room() < slots + taken) {
                flushNotes();
            }
            while (state.ring().room() < slots + taken) {
                reclaimer.makeRoom();
            }
            return null;
        } catch (StoreFailure failure) {
            return refusal(failure);
        }
    }

    private void takeNotes() {
        for (DeliveryReport note; notes.size() < batchMessagesMax && (note = inbox.takeNote()) != null; ) {
            if (notes.isEmpty()) {
                notesSince = System.nanoTime();
            }
            notes.add(note);
        }
    }

    /** Settlements alone only decide about redelivery: they wait a little, so that more of them share a flush. */
    private boolean notesAreDue() {
        if (notes.isEmpty()) {
            return false;
        }
        if (notes.size() >= batchMessagesMax || settleWaitLeft() <= 0) {
            return true;
        }
        for (DeliveryReport note : notes) {
            if (!(note instanceof DeliveryReport.Settled settled) || settled.completion() != null) {
                return true; // somebody waits for it
            }
        }
        return false;
    }

    private long settleWaitLeft() {
        return notesSince + settings.settleDelay().toNanos() - System.nanoTime();
    }

    @Override
    public long restNanos() {
        return notes.isEmpty() ? Agent.super.restNanos() : Math.max(1, settleWaitLeft());
    }

    private void flush(List<FilteredWork> works, List<DeliveryReport> notesTaken) {
        FlushBuilder batch = new FlushBuilder(state, store, transactor);
        // Notes first: a failed delivery is counted before the dead letter that settles it.
        notesTaken.forEach(note -> add(note, batch));
        List<FilteredWork> added = new ArrayList<>(works.size());
        for (FilteredWork selected : works) {
            Refusal refusal = batch.add(selected);
            if (refusal == null) {
                added.add(selected);
            } else {
                refuse(selected.work(), refusal);
            }
        }
        if (!batch.isEmpty()) {
            try {
                write(batch);
            } catch (StoreFailure failure) {
                batch.rolledBack();
                afterRollBack(added, notesTaken, failure);
                return;
            }
        }
        passFences(notesTaken);
    }

    private static void add(DeliveryReport note, FlushBuilder batch) {
        if (note instanceof DeliveryReport.Settled settled) {
            batch.add(settled.settle(), settled.completion());
        } else if (note instanceof DeliveryReport.Failed failed) {
            batch.add(failed.subscription(), failed.redelivery());
        } else if (note instanceof DeliveryReport.Bound bound) {
            batch.add(bound.subscription(), bound.bound());
        }
    }

    private void write(FlushBuilder batch) {
        long begun = System.nanoTime();
        Flush first = batch.toFlush();
        if (first.isEmpty()) {
            if (batch.concernsTables()) {
                askWhetherStillOwner();
            }
        } else {
            transactor.run(
                    () -> {
                        store.flush(first.epoch() == state.epoch() ? first : batch.toFlush());
                        return true;
                    },
                    tables -> found(tables, batch));
        }
        requireLease();
        if (troubled) {
            troubled = false;
            monitor.storeTrouble(null);
        }
        batch.committed(listener);
        complete(batch.completions());
        monitor.flushed(batch.messages(), batch.settlements(), batch.bytes(), System.nanoTime() - begun);
        if (batch.duplicates() > 0) {
            monitor.duplicates(batch.duplicates());
        }
        batch.bodiesClaimed().forEach(stager::claimed);
        stager.unstage(batch.bodiesOver());
    }

    /**
     * Nothing of the batch goes to the tables, as nobody owes its messages or all of it is stored already: that is true only
     * while this node is the owner. No clock can say so, since a node may be frozen right after its look at the clock.
     */
    private void askWhetherStillOwner() {
        transactor.run(
                () -> {
                    store.checkOwner(state.epoch());
                    return true;
                },
                tables -> true);
    }

    /** What is durable is so; but nobody hears of it from a node that another one may have followed. */
    private void requireLease() {
        if (lease.isOver()) {
            throw new ShardStopped(
                    ShardStopped.Next.STAND_BY, "RT-2110 the lease is over: another node may own the shard", null);
        }
    }

    private boolean writeCopies(FlushBuilder batch, int slots) {
        if (makeRoomFor(slots, 0) != null) {
            return false;
        }
        try {
            write(batch);
            return true;
        } catch (StoreFailure failure) {
            batch.rolledBack();
            LOG.warn("messages that were kept cannot be copied now: {}", failure.getMessage());
            return false;
        }
    }

    private static void complete(List<Completion> completions) {
        Set<Mailbox> mailboxes = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Completion completion : completions) {
            completion.accepted();
            mailboxes.add(completion.mailbox());
        }
        mailboxes.forEach(Mailbox::wake);
    }

    /**
     * Settlements alone may be written twice: a ledger row is written whole. So may the number of a producer and an id whose
     * message nobody owes, and rows of the inbox be deleted. Messages tell by where next stands.
     */
    private Boolean found(ShardState tables, FlushBuilder batch) {
        boolean sameGate = tables.gate() == state.gate();
        if (sameGate && batch.messages() > 0 && tables.next() == batch.next()) {
            return true;
        }
        if (sameGate && tables.next() == state.next()) {
            return null;
        }
        throw Transactor.elsewhere("gate=" + state.gate() + " next=" + state.next() + " or " + batch.next(), tables);
    }

    private void afterRollBack(List<FilteredWork> works, List<DeliveryReport> notesTaken, StoreFailure failure) {
        if (failure.kind() == StoreFailure.Kind.NOT_WRITABLE) {
            troubled = true;
            monitor.storeTrouble(failure.getMessage());
            works.forEach(selected -> refuse(selected.work(), refusal(failure)));
            retry(notesTaken);
        } else if (works.isEmpty()) {
            throw Reconciler.stopped(failure); // the ledger itself is refused
        } else if (!notesTaken.isEmpty()) {
            flush(List.of(), notesTaken);
            flush(works, List.of());
        } else if (works.size() == 1) {
            refuse(works.get(0).work(), refusal(failure));
        } else {
            int half = works.size() / 2;
            flush(works.subList(0, half), List.of());
            flush(works.subList(half, works.size()), List.of());
        }
    }

    /** Nothing taken away is forgotten: it waits for a store that takes writes again. */
    private void retry(List<DeliveryReport> notesTaken) {
        List<DeliveryReport> all = new ArrayList<>(notesTaken);
        all.addAll(notes);
        notes = all;
        notesSince = System.nanoTime();
        LockSupport.parkNanos(NOT_WRITABLE_PAUSE_NANOS);
    }

    /** Nothing of it is stored, nor stay the bodies that were staged for it. */
    private void refuse(Work work, Refusal refusal) {
        DisruptorMailbox.refuse(work, refusal);
        stager.unstage(Message.bodyIds(work.messages()));
    }

    private static Refusal refusal(StoreFailure failure) {
        return new Refusal(
                Refusal.Reason.LIMIT, failure.code(), "the store refused the message: " + failure.getMessage());
    }

    private void passFences(List<DeliveryReport> notesTaken) {
        for (DeliveryReport note : notesTaken) {
            if (note instanceof DeliveryReport.Fence fence) {
                listener.fencePassed(fence.subscription());
            }
        }
    }

    /** The last flush: everything that was handed in, and nothing after it. */
    @Override
    public void onClose() {
        while (inbox.peek() != null || !selecting.isEmpty() || inbox.hasNotes() || !notes.isEmpty()) {
            List<FilteredWork> works = takeWorks();
            takeNotes();
            flushWithNotes(works);
            if (works.isEmpty() && selecting.isEmpty() && !notes.isEmpty()) {
                break; // the store takes no writes: what was settled comes again, flagged
            }
        }
        end(new Refusal(Refusal.Reason.UNAVAILABLE, "RT-2105", "the broker is stopping"));
    }

    /**
     * Refuses whatever waits and whatever still comes. Thread: committer, as the last thing it does, whatever ended it.
     */
    public void end(Refusal refusal) {
        inbox.close(refusal);
        selecting.refuseAll(refusal);
        catalog.close(refusal);
        stager.close();
    }

    @Override
    public boolean trySubmit(Work work) {
        return inbox.tryPut(work);
    }

    @Override
    public void onRoom(Runnable room) {
        inbox.onRoom(room);
    }

    @Override
    public void settle(Settle settlement, Completion completion) {
        inbox.put(new DeliveryReport.Settled(settlement, completion));
    }

    /** A failed delivery is counted durably. Thread: any. */
    public void failed(Subscription subscription, Flush.Redelivery redelivery) {
        inbox.put(new DeliveryReport.Failed(subscription, redelivery));
    }

    /** A subscription's own bound is to move; {@link CommitListener#committed} says when it is durable. Thread: any. */
    public void bound(Subscription subscription, Flush.DispatchedTo bound) {
        inbox.put(new DeliveryReport.Bound(subscription, bound));
    }

    /** Asks for {@link CommitListener#fencePassed} once every settlement before this is durable. Thread: any. */
    public void fence(Subscription subscription) {
        inbox.put(new DeliveryReport.Fence(subscription));
    }

    @Override
    public int inlineBytesMax() {
        return store.limits().inlineBytesMax();
    }

    @Override
    public long nextBodyId() {
        return stager.nextBodyId();
    }

    @Override
    public void stage(long bodyId, byte[] body, Consumer<Refusal> done) {
        stager.stage(bodyId, body, done);
    }

    @Override
    public void abandon(List<Long> bodyIds) {
        stager.unstage(bodyIds);
    }

    public CatalogMailbox catalog() {
        return catalog;
    }

    /** Thread: any reads; only the committer changes it. */
    public Catalog entries() {
        return state.catalog();
    }

    /** For status and metrics: slots free. Thread: any; a little behind. */
    public RingState state() {
        return state;
    }

    /** For agents that hand it work on its own thread's behalf. */
    public Doorbell doorbell() {
        return doorbell;
    }
}
