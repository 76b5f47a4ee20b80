package io.ringtable.broker.commit;

import io.ringtable.broker.agent.Agent;
import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.agent.ThreadNames;
import io.ringtable.broker.agent.ThreadOwner;
import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.catalog.change.AddressChanges;
import io.ringtable.broker.catalog.change.CatalogChangeQueue;
import io.ringtable.broker.catalog.change.LoginChanges;
import io.ringtable.broker.catalog.change.SettingChanges;
import io.ringtable.broker.catalog.change.SubscriptionChanges;
import io.ringtable.broker.catalog.change.TemporaryAddresses;
import io.ringtable.broker.config.CommitProperties;
import io.ringtable.broker.deduplication.Deduplicator;
import io.ringtable.broker.deduplication.Producers;
import io.ringtable.broker.durability.CatalogWriter;
import io.ringtable.broker.durability.Reconciler;
import io.ringtable.broker.durability.Transactor;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.overflow.Stager;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.reclaim.BacklogDiscarder;
import io.ringtable.broker.reclaim.Reclaimer;
import io.ringtable.broker.replay.Replays;
import io.ringtable.broker.retention.RetainedSearch;
import io.ringtable.broker.retention.RetentionSubscriptions;
import io.ringtable.broker.retention.Retentions;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.work.CommitListener;
import io.ringtable.broker.work.CommitMonitor;
import io.ringtable.broker.work.CommitterDoors;
import io.ringtable.broker.work.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns everything handed in since the last flush into one transaction, then passes it on. Between two flushes,
 * retention, catalogue changes, replay and clearing have their turns.
 * <p>
 * Thread: {@code committer}. Others come through {@link #doors()}; a full mailbox refuses, and links stop granting
 * credit.
 * <p>
 * Failure: {@link Reconciler} reads an unknown outcome from the tables and never guesses it. Halving finds a row that
 * the store refuses, and only its work is refused. A failure without a cure ends the agent with {@link ShardStopped}.
 */
public final class Committer implements Agent {
    private static final Logger LOG = LoggerFactory.getLogger(Committer.class);
    private static final long NOT_WRITABLE_PAUSE_NANOS = 20_000_000;

    private final RingStore store;
    private final RingState state;
    private final Deduplicator deduplicator;
    private final LoginChanges logins;
    private final CommitListener listener;
    private final DisruptorMailbox mailbox;
    private final FlushGatherer gatherer;
    private final FlushWriter writer;
    private final RingRoom room;
    private final Transactor transactor;
    private final CatalogChangeQueue catalog;
    private final Reclaimer reclaimer;
    private final Retentions retentions;
    private final Replays replays;
    private final Stager stager;
    private final ThreadOwner owner = new ThreadOwner("the committer's state");
    private final int batchMessagesMax;
    private final long settleDelayNanos;
    private List<DeliveryReport> reports = new ArrayList<>(); // taken from the mailbox, not yet durable
    private long reportsSince; // nanoTime when the oldest of them was taken

    /**
     * @param clockMs ms since the epoch
     * @param deduplicator recovered, not begun
     * @param lease after whose end nobody may hear an outcome
     */
    public Committer(
            CommitSettings settings,
            LongSupplier clockMs,
            RingStore store,
            RingState state,
            Deduplicator deduplicator,
            Reconciler reconciler,
            Lease lease,
            CommitListener listener,
            CommitMonitor monitor,
            Doorbell doorbell) {
        this.store = store;
        this.state = state;
        this.deduplicator = deduplicator;
        this.listener = listener;
        CommitProperties properties = settings.properties();
        this.batchMessagesMax =
                Math.min(properties.batchMessagesMax(), store.limits().flushMessagesMax());
        this.settleDelayNanos = settings.delays().settlements().toNanos();
        this.mailbox = new DisruptorMailbox(properties.inboxBytesMax().toBytes(), doorbell);
        this.transactor = new Transactor(state, reconciler);
        this.stager = new Stager(
                store, state::epoch, ThreadNames.of("stager", state.catalog().shard()));
        this.writer = new FlushWriter(state, store, store, transactor, lease, listener, monitor, stager, clockMs);
        BacklogDiscarder discarder = new BacklogDiscarder(state, store, store, transactor);
        this.reclaimer = new Reclaimer(state, store, transactor, discarder, listener, monitor);
        this.room = new RingRoom(state.ring(), store.limits(), reclaimer, this::flushReports);
        this.gatherer = new FlushGatherer(
                batchMessagesMax,
                (int) properties.batchBytesMax().toBytes(),
                new GroupCommitDelay(settings.delays().messages()),
                mailbox,
                state.catalog(),
                room,
                this::refuse,
                clockMs);
        CatalogWriter catalogWriter = new CatalogWriter(state, store, transactor);
        this.logins = new LoginChanges(state.catalog().logins(), catalogWriter);
        RetainedSearch retained = new RetainedSearch(state, store, transactor);
        RetentionSubscriptions retention = new RetentionSubscriptions(state, catalogWriter);
        this.retentions =
                new Retentions(state, catalogWriter, retained, retention, discarder, settings.retention(), clockMs);
        this.replays = new Replays(state, store, transactor, catalogWriter, this::writeCopies, clockMs);
        this.catalog = new CatalogChangeQueue(
                state.catalog(),
                new AddressChanges(
                        state,
                        deduplicator,
                        catalogWriter,
                        retention,
                        listener,
                        properties,
                        settings.creation(),
                        settings.retention()),
                new TemporaryAddresses(state.catalog(), deduplicator, listener, properties, settings.creation()),
                new SubscriptionChanges(state, catalogWriter, retained, listener),
                new Producers(deduplicator, catalogWriter, properties, clockMs),
                new SettingChanges(state.catalog().settings(), catalogWriter),
                catalogWriter,
                doorbell);
        deduplicator.begin(properties.duplicateIds());
    }

    /** Returns what other threads call. Thread: any. */
    public CommitterDoors doors() {
        return new CommitterDoors(
                mailbox, catalog, state.catalog(), state.catalog().logins(), stager, stager);
    }

    /** Returns the catalogue for status and metrics. Thread: any reads; only the committer changes it. */
    public Catalog entries() {
        return state.catalog();
    }

    /** Hears that topics keep what others say from now on. Thread: committer, between flushes. */
    public void policiesChanged() {
        retentions.policiesChanged();
    }

    /** Runs something between two flushes. Thread: any calls; committer runs it. */
    public void between(Runnable change) {
        catalog.between(change);
    }

    @Override
    public String roleName() {
        return "committer";
    }

    @Override
    public int doWork() {
        owner.check();
        writer.requireLease();
        int done = retentions.doWork() + catalog.doWork();
        List<FilteredWork> works = gatherer.gather();
        takeReports();
        if (!works.isEmpty() || reportsAreDue()) {
            flushWithReports(works);
            done += 1;
        }
        done += gatherer.isFiltering() ? 1 : 0;
        done += mailbox.announceRoom() ? 1 : 0;
        done += replays.doWork();
        if (reclaimer.isDue()) {
            flushReports();
        }
        done += reclaimer.doWork();
        if (state.takeBodiesLeft()) {
            stager.unstageOrphans();
        }
        return done;
    }

    // ---- reports about deliveries

    private void takeReports() {
        for (DeliveryReport report; reports.size() < batchMessagesMax && (report = mailbox.takeReport()) != null; ) {
            if (reports.isEmpty()) {
                reportsSince = System.nanoTime();
            }
            reports.add(report);
        }
    }

    /**
     * Decides whether reports need a flush now. Settlements alone only decide about redelivery: they wait a little, so
     * that more of them share a flush.
     */
    private boolean reportsAreDue() {
        if (reports.isEmpty()) {
            return false;
        }
        if (reports.size() >= batchMessagesMax || settleWaitLeft() <= 0) {
            return true;
        }
        for (DeliveryReport report : reports) {
            if (!(report instanceof DeliveryReport.Settled settled) || settled.completion() != null) {
                return true; // a connection waits for its outcome
            }
        }
        return false;
    }

    private long settleWaitLeft() {
        return reportsSince + settleDelayNanos - System.nanoTime();
    }

    @Override
    public long restNanos() {
        return reports.isEmpty() ? Agent.super.restNanos() : Math.max(1, settleWaitLeft());
    }

    /** Flushes reports before a clearing: what is settled need not move to the backlog. */
    private void flushReports() {
        takeReports();
        if (!reports.isEmpty()) {
            flushWithReports(List.of());
        }
    }

    // ---- flushing

    private void flushWithReports(List<FilteredWork> works) {
        List<DeliveryReport> taken = reports;
        reports = new ArrayList<>();
        flush(works, taken);
    }

    private void flush(List<FilteredWork> works, List<DeliveryReport> reportsTaken) {
        FlushBuilder flush = newFlush();
        // Reports first: a failed delivery is counted before the dead letter that settles it.
        reportsTaken.forEach(flush::add);
        List<FilteredWork> added = new ArrayList<>(works.size());
        for (FilteredWork work : works) {
            Refusal refusal = flush.add(work);
            if (refusal == null) {
                added.add(work);
            } else {
                refuse(work.work(), refusal);
            }
        }
        if (!flush.isEmpty()) {
            try {
                writer.write(flush);
            } catch (StoreFailure failure) {
                afterRollBack(added, reportsTaken, failure);
                return;
            }
        }
        passFences(reportsTaken);
    }

    private FlushBuilder newFlush() {
        return new FlushBuilder(state, deduplicator, logins, store, transactor);
    }

    private void afterRollBack(List<FilteredWork> works, List<DeliveryReport> reportsTaken, StoreFailure failure) {
        if (failure.kind() == StoreFailure.Kind.NOT_WRITABLE) {
            writer.takesNoWrites(failure);
            works.forEach(work -> refuse(work.work(), FlushWriter.refusal(failure)));
            retry(reportsTaken);
        } else if (works.isEmpty()) {
            throw Reconciler.stopped(failure); // the ledger itself is refused
        } else if (!reportsTaken.isEmpty()) {
            flush(List.of(), reportsTaken);
            flush(works, List.of());
        } else if (works.size() == 1) {
            refuse(works.get(0).work(), FlushWriter.refusal(failure));
        } else {
            int half = works.size() / 2;
            flush(works.subList(0, half), List.of());
            flush(works.subList(half, works.size()), List.of());
        }
    }

    /** Keeps the reports for a store that takes writes again: nothing taken from the mailbox is lost. */
    private void retry(List<DeliveryReport> reportsTaken) {
        List<DeliveryReport> all = new ArrayList<>(reportsTaken);
        all.addAll(reports);
        reports = all;
        reportsSince = System.nanoTime();
        LockSupport.parkNanos(NOT_WRITABLE_PAUSE_NANOS);
    }

    /** Refuses a work: nothing of it is stored, and the bodies staged for it go. */
    private void refuse(Work work, Refusal refusal) {
        DisruptorMailbox.refuse(work, refusal);
        stager.unstage(Message.bodyIds(work.messages()));
    }

    private void passFences(List<DeliveryReport> reportsTaken) {
        for (DeliveryReport report : reportsTaken) {
            if (report instanceof DeliveryReport.Fence fence) {
                listener.fencePassed(fence.subscription());
            }
        }
    }

    private boolean writeCopies(SubscriptionEntry entry, List<StoredMessage> rows, long position) {
        if (room.makeFor(rows.size(), 0) != null) {
            return false;
        }
        FlushBuilder flush = newFlush();
        flush.copy(entry, rows, position);
        try {
            writer.write(flush);
            return true;
        } catch (StoreFailure failure) {
            LOG.warn("messages that were kept cannot be copied now: {}", failure.getMessage());
            return false;
        }
    }

    // ---- the end

    /** Writes the last flush: everything that was handed in, and nothing after it. */
    @Override
    public void onClose() {
        while (mailbox.peek() != null || gatherer.isFiltering() || mailbox.hasReports() || !reports.isEmpty()) {
            List<FilteredWork> works = gatherer.gather();
            takeReports();
            flushWithReports(works);
            if (works.isEmpty() && !gatherer.isFiltering() && !reports.isEmpty()) {
                LOG.warn(
                        "RT-2113 the store takes no writes while the shard closes: {} reports about deliveries are not"
                                + " stored, and settled messages among them come again, flagged",
                        reports.size());
                break;
            }
        }
        end(new Refusal(Refusal.Reason.UNAVAILABLE, "RT-2105", "the broker is stopping"));
    }

    /** Refuses whatever waits and whatever still comes. Thread: committer, as its last act, whatever ended it. */
    public void end(Refusal refusal) {
        mailbox.close(refusal);
        gatherer.refuseAll(refusal);
        catalog.close(refusal);
        stager.close();
    }
}
