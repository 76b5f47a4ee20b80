package io.ringtable.broker.retention;

import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.RetainedMessages;
import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.durability.CatalogWriter;
import io.ringtable.broker.durability.Reconciler;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.reclaim.BacklogDiscarder;
import io.ringtable.broker.state.Backlog;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoredMessage;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settles what is older or more than the retention of topics allows, for their built-in subscriptions. The oldest goes
 * first, a stretch at a time: the sequence rises from which the subscription owes anything. Messages that a replay must
 * still copy stay.
 * <p>
 * Thread: committer, between flushes; a step reads and deletes a few thousand rows at most. Failure: a change that the
 * store does not take is tried again.
 */
public final class Retentions {
    /** Looks at the oldest messages at this interval, if there was nothing to do. */
    private static final long CHECK_MS = 100;

    /** Limits the rows of one step: 4,096 take a few milliseconds, as long as a large flush. */
    private static final int STEP_ROWS = 4_096;

    private static final Logger LOG = LoggerFactory.getLogger(Retentions.class);

    private final RingState state;
    private final CatalogWriter writer;
    private final RetainedSearch search;
    private final RetentionSubscriptions subscriptions;
    private final BacklogDiscarder discarder;
    private final Function<String, Retention> policies;
    private final LongSupplier clockMs;
    private boolean begun;
    private long nextCheckAt;

    /**
     * @param policies of topics, by name
     * @param clockMs ms since the epoch
     */
    public Retentions(
            RingState state,
            CatalogWriter writer,
            RetainedSearch search,
            RetentionSubscriptions subscriptions,
            BacklogDiscarder discarder,
            Function<String, Retention> policies,
            LongSupplier clockMs) {
        this.state = state;
        this.writer = writer;
        this.search = search;
        this.subscriptions = subscriptions;
        this.discarder = discarder;
        this.policies = policies;
        this.clockMs = clockMs;
    }

    /** Takes a step for each topic that has one to take. @return number of steps */
    public int doWork() {
        if (begun && state.catalog().retained().isEmpty()) {
            return 0;
        }
        long now = clockMs.getAsLong();
        if (rests(now, nextCheckAt)) {
            return 0;
        }
        try {
            if (!begun) {
                begin();
                begun = true;
            }
            return check(now);
        } catch (StoreFailure failure) {
            if (failure.kind() != StoreFailure.Kind.NOT_WRITABLE) {
                throw Reconciler.stopped(failure);
            }
            nextCheckAt = now + CHECK_MS; // flushes report that, this class waits
            return 0;
        }
    }

    /** Has the policies applied anew: others count now. */
    public void policiesChanged() {
        begun = false;
        nextCheckAt = 0;
    }

    /** Applies the policies: they may have changed since the topics were created. */
    private void begin() {
        for (AddressEntry entry : state.catalog().entries()) {
            Address address = entry.address();
            Retention policy = address.isQueue() ? Retention.NONE : policies.apply(address.name());
            if (policy.keeps() && entry.retained() == null) {
                subscriptions.keep(entry);
            }
            if (entry.retained() != null) {
                entry.retained().retention(policy);
                warnIfQuotaIsLess(address, policy);
            }
        }
    }

    private static void warnIfQuotaIsLess(Address topic, Retention policy) {
        if (policy.bytesMax() > topic.quota().bytesMax()) {
            LOG.warn(
                    "RT-2026 {} should keep {} bytes but has a quota of {} bytes: retention keeps only what fits beside"
                            + " other subscriptions; raise bytesMax of its policy",
                    topic,
                    policy.bytesMax(),
                    topic.quota().bytesMax());
        }
    }

    private int check(long now) {
        int done = 0;
        for (RetainedMessages kept : List.copyOf(state.catalog().retained())) {
            done += step(kept, now);
        }
        if (done == 0) {
            nextCheckAt = now + CHECK_MS;
        }
        return done;
    }

    private int step(RetainedMessages kept, long now) {
        if (kept.retention().bytesMax() > 0 && !kept.isMeasured()) {
            measure(kept);
            return 1;
        }
        if (kept.needsDiscard()) {
            discarder.discard(kept.address(), kept.discardFrom(), kept.discardTo());
            if (kept.bodiesMayBeLeft()) {
                state.bodiesMayBeLeft(state.gate());
            }
            kept.discarded();
            return 1;
        }
        long limit = kept.address().replayPosition();
        if (!kept.retention().keeps() && limit == Long.MAX_VALUE) {
            subscriptions.keepNoLonger(kept);
            return 1;
        }
        return !rests(now, kept.restsUntil()) && settle(kept, Math.min(limit, state.next()), now) ? 1 : 0;
    }

    /** Decides whether a rest lasts; a clock that was set back holds nothing up. */
    private static boolean rests(long now, long until) {
        return now < until && until - now <= CHECK_MS;
    }

    /** Measures the next stretch of the backlog whose bytes are unknown after a recovery. */
    private void measure(RetainedMessages kept) {
        List<StoredMessage> rows = search.inBacklog(kept, kept.measuredTo(), STEP_ROWS);
        long to = rows.size() < STEP_ROWS
                ? kept.measureEnd()
                : rows.get(rows.size() - 1).sequence() + 1;
        long bytes = 0;
        for (StoredMessage row : rows) {
            if (row.sequence() < kept.measureEnd()) { // messages that moved later are known
                bytes += row.bodyBytes();
            }
        }
        kept.measured(to, bytes);
    }

    // ---- settling

    /** @param limit sequence from which nothing is settled */
    private boolean settle(RetainedMessages kept, long limit, long now) {
        if (kept.first() >= limit) {
            return false;
        }
        Allowance allowance = new Allowance(kept, now);
        if (kept.isOldestKnown() && !allowance.isOver(kept.oldestAt())) {
            return false;
        }
        Stretch stretch = new Stretch(kept, limit, allowance);
        boolean isBacklogOver = stretch.backlog();
        long backlogEnd = stretch.end;
        if (isBacklogOver) {
            stretch.ring();
        }
        if (stretch.messages < STEP_ROWS) {
            kept.restsUntil(now + CHECK_MS); // settles many at once rather than each on its own
        }
        if (stretch.messages == 0) {
            if (stretch.oldestAt != Stretch.UNKNOWN) {
                kept.oldestAt(stretch.oldestAt);
            }
            return false;
        }
        Subscription its = kept.subscription();
        long end = stretch.end;
        writer.write(
                List.of(new CatalogChange.Purge(its.id(), end)),
                0,
                tables -> tables.subscriptions().stream()
                        .anyMatch(row -> row.subscriptionId() == its.id() && row.fromSequence() == end));
        state.settledInRing(kept.entry(), Math.max(kept.first(), state.gate()), end);
        kept.entry().owesInBacklog(-stretch.countedInBacklog);
        kept.settledTo(end, stretch.measuredBytes);
        if (stretch.oldestAt != Stretch.UNKNOWN) {
            kept.oldestAt(stretch.oldestAt);
        }
        if (stretch.inBacklog > 0) {
            kept.mayBeOver(stretch.firstInBacklog, backlogEnd, stretch.bodiesInOverflow);
        }
        return true;
    }

    /** Gathers what is over, from the first message on. */
    private final class Stretch {
        static final long UNKNOWN = -1;

        private final RetainedMessages kept;
        private final long limit;
        private final Allowance allowance;
        private long end; // end of what is over
        private int messages;
        private int inBacklog;
        private long firstInBacklog;
        private int countedInBacklog;
        private boolean bodiesInOverflow; // whether some of those in the backlog have one
        private long measuredBytes;
        private long oldestAt = UNKNOWN; // of the first message that is not over

        /** @param limit sequence from which nothing is over */
        Stretch(RetainedMessages kept, long limit, Allowance allowance) {
            this.kept = kept;
            this.limit = limit;
            this.allowance = allowance;
            this.end = kept.first();
        }

        /** @return whether the backlog holds nothing further */
        boolean backlog() {
            Address topic = kept.subscription().address();
            Backlog backlog = state.backlogs().find(topic.id());
            if (backlog == null
                    || kept.first() >= state.gate()
                    || kept.first() > backlog.summary().lastSequence()) {
                return true;
            }
            List<StoredMessage> rows = search.inBacklog(kept, kept.first(), STEP_ROWS);
            for (StoredMessage row : rows) {
                if (!take(row.sequence(), row.publishedAt(), row.bodyBytes())) {
                    return false;
                }
                if (inBacklog++ == 0) {
                    firstInBacklog = row.sequence();
                }
                bodiesInOverflow |= row.bodyId() != 0;
                if (backlog.isCounted(row.sequence())) {
                    countedInBacklog++;
                }
            }
            if (rows.isEmpty()) {
                kept.beginsAt(Math.min(limit, state.gate())); // what lies there belongs to other subscriptions
            }
            return rows.size() < STEP_ROWS;
        }

        void ring() {
            Subscription its = kept.subscription();
            for (long sequence = Math.max(kept.first(), state.gate());
                    sequence < state.next() && messages < STEP_ROWS;
                    sequence++) {
                if (state.isOwedInRing(sequence, its)
                        && !take(sequence, state.publishedAt(sequence), state.bytes(sequence))) {
                    return;
                }
                if (messages == 0) {
                    kept.beginsAt(Math.min(limit, sequence + 1));
                }
            }
        }

        private boolean take(long sequence, long publishedAt, int bytes) {
            if (sequence >= limit) {
                if (messages == 0) {
                    kept.beginsAt(limit);
                }
                return false;
            }
            if (!allowance.isOver(publishedAt)) {
                oldestAt = publishedAt;
                return false;
            }
            messages++;
            allowance.goes(bytes);
            if (kept.isMeasured(sequence)) {
                measuredBytes += bytes;
            }
            end = sequence + 1;
            return true;
        }
    }

    /** Decides what may stay. */
    private static final class Allowance {
        private final Retention retention;
        private final long bytesMax;
        private final AddressQuota quota;
        private final boolean isInTheWay;
        private final long publishedBefore;
        private long bytes;
        private long quotaMessages;
        private long quotaBytes;

        Allowance(RetainedMessages kept, long now) {
            this.retention = kept.retention();
            this.bytesMax = kept.bytesMax();
            this.quota = kept.subscription().address().quota();
            this.publishedBefore = now - retention.ageMs();
            this.bytes = kept.bytes();
            this.quotaMessages = quota.messages();
            this.quotaBytes = quota.bytes();
            this.isInTheWay = owed(kept.entry()) > mostOwedByOthers(kept);
        }

        private static long owed(SubscriptionEntry entry) {
            return entry.owedInRing() + entry.owedInBacklog();
        }

        private static long mostOwedByOthers(RetainedMessages kept) {
            long most = 0;
            for (SubscriptionEntry entry : kept.address().subscriptions()) {
                if (entry != kept.entry()) {
                    most = Math.max(most, owed(entry));
                }
            }
            return most;
        }

        boolean isOver(long publishedAt) {
            return !retention.keeps()
                    || retention.ageMs() > 0 && publishedAt <= publishedBefore
                    || retention.bytesMax() > 0 && (bytes > bytesMax || bytesMax == 0)
                    || isInTheWay && isAlmostFull();
        }

        /**
         * Keeps an eighth of the quota free while retention has most of what lies there, so that publishers do not
         * wait.
         */
        private boolean isAlmostFull() {
            return quotaMessages > quota.messagesMax() / 8 * 7 || quotaBytes > quota.bytesMax() / 8 * 7;
        }

        void goes(int messageBytes) {
            bytes -= messageBytes;
            quotaMessages--;
            quotaBytes -= messageBytes;
        }
    }
}
