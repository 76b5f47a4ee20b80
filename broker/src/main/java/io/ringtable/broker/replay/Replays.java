package io.ringtable.broker.replay;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.durability.CatalogWriter;
import io.ringtable.broker.durability.Reconciler;
import io.ringtable.broker.durability.Transactor;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.state.Backlog;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.RingReads;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoredMessage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves subscriptions that began at a time in the past. Each gets copies of what its topic has kept since, in order
 * and as it consumes them; messages published meanwhile are kept as well. Once nothing is left to copy, the
 * subscription owes new messages like every other one. Nothing can be published between the last copy and that moment:
 * this thread would store it.
 * <p>
 * Thread: committer, between flushes; a portion is as short as a flush. Failure: a portion that the store does not take
 * is tried again; the position moves with the copies, or neither does.
 */
public final class Replays {
    private static final Logger LOG = LoggerFactory.getLogger(Replays.class);

    private static final int PORTION_ROWS = 512;
    private static final long PORTION_BYTES = 1 << 20;

    /** Bounds the copies that a subscription may owe before it gets more. */
    private static final int OWED_MAX = 8 * PORTION_ROWS;

    private static final long RETRY_MS = 1_000;

    private final RingState state;
    private final RingReads store;
    private final Transactor transactor;
    private final CatalogWriter writer;
    private final CopyWriter copies;
    private final LongSupplier clockMs;
    private int turn;
    private long notBefore; // ms since the epoch

    /** @param clockMs ms since the epoch */
    public Replays(
            RingState state,
            RingReads store,
            Transactor transactor,
            CatalogWriter writer,
            CopyWriter copies,
            LongSupplier clockMs) {
        this.state = state;
        this.store = store;
        this.transactor = transactor;
        this.writer = writer;
        this.copies = copies;
        this.clockMs = clockMs;
    }

    /**
     * Serves one subscription, each in its turn.
     *
     * @return number of portions that were copied or turned out to be the last
     */
    public int doWork() {
        List<SubscriptionEntry> replaying = state.catalog().replaying();
        if (replaying.isEmpty() || rests(clockMs.getAsLong())) {
            return 0;
        }
        for (int i = 0; i < replaying.size(); i++) {
            SubscriptionEntry entry = replaying.get((turn + i) % replaying.size());
            if (hasRoom(entry)) {
                turn = (turn + i + 1) % replaying.size();
                return serve(entry);
            }
        }
        return 0;
    }

    private int serve(SubscriptionEntry entry) {
        int done = 0;
        try {
            // More than was published since, so that a consumer as fast as the publishers catches up.
            long most = PORTION_ROWS + state.next() - entry.replay().servedAt(state.next());
            for (long rows = 0; rows < most && hasRoom(entry); done++) {
                List<StoredMessage> portion = read(entry);
                if (portion.isEmpty()) {
                    end(entry);
                    return done + 1;
                }
                rows += portion.size();
                if (!copy(entry, portion)) {
                    notBefore = clockMs.getAsLong() + RETRY_MS;
                    return done;
                }
            }
        } catch (StoreFailure failure) {
            if (failure.kind() != StoreFailure.Kind.NOT_WRITABLE) {
                throw Reconciler.stopped(failure);
            }
            notBefore = clockMs.getAsLong() + RETRY_MS; // flushes meet the failure and log it, this waits
        }
        entry.replay().served(state.next());
        return done;
    }

    /** Says whether a failure was a moment ago; a clock that was set back holds nothing up. */
    private boolean rests(long now) {
        return now < notBefore && notBefore - now <= RETRY_MS;
    }

    private static boolean hasRoom(SubscriptionEntry entry) {
        return entry.owedInRing() + entry.owedInBacklog() < OWED_MAX;
    }

    // ---- reading

    /** Reads the next kept messages; empty if there are none. */
    private List<StoredMessage> read(SubscriptionEntry entry) {
        Subscription keeper = keeper(entry);
        long position = entry.replay().position();
        Backlog backlog = state.backlogs().find(keeper.address().id());
        if (position < state.gate()
                && backlog != null
                && position <= backlog.summary().lastSequence()) {
            List<StoredMessage> rows = transactor.read(() -> store.readBacklog(
                    keeper.address().id(), keeper.group(), keeper.bit(), position - 1, PORTION_ROWS, PORTION_BYTES));
            if (!rows.isEmpty()) {
                return rows;
            }
        }
        long[] sequences = inRing(keeper, Math.max(position, state.gate()));
        List<StoredMessage> rows = sequences.length == 0 ? List.of() : transactor.read(() -> store.readRing(sequences));
        if (rows.size() != sequences.length) {
            throw new ShardStopped(
                    ShardStopped.Next.RECOVER,
                    "RT-2108 the ring has " + rows.size() + " of " + sequences.length + " messages that " + keeper
                            + " keeps between " + sequences[0] + " and next " + state.next()
                            + ": recovering from the tables",
                    null);
        }
        return rows;
    }

    private Subscription keeper(SubscriptionEntry entry) {
        return state.catalog()
                .entry(entry.subscription().address().id())
                .retained()
                .subscription();
    }

    private long[] inRing(Subscription keeper, long from) {
        long[] sequences = new long[PORTION_ROWS];
        int count = 0;
        long bytes = 0;
        for (long sequence = from;
                sequence < state.next() && count < PORTION_ROWS && bytes < PORTION_BYTES;
                sequence++) {
            if (state.isOwedInRing(sequence, keeper)) {
                sequences[count++] = sequence;
                bytes += state.bytes(sequence);
            }
        }
        return Arrays.copyOf(sequences, count);
    }

    // ---- copying

    private boolean copy(SubscriptionEntry entry, List<StoredMessage> portion) {
        long now = clockMs.getAsLong();
        List<StoredMessage> wanted = new ArrayList<>(portion.size());
        for (StoredMessage row : portion) {
            boolean isExpired = row.expiresAt() != 0 && row.expiresAt() <= now;
            if (!isExpired && wants(entry.subscription(), row)) {
                wanted.add(row);
            }
        }
        return copies.write(entry, wanted, portion.get(portion.size() - 1).sequence() + 1);
    }

    private boolean wants(Subscription subscription, StoredMessage row) {
        if (!subscription.isSelective()) {
            return true;
        }
        byte[] body = row.body() != null ? row.body() : transactor.read(() -> bodyOrNull(row.bodyId()));
        if (body == null) {
            return true; // the reader of the copy meets the damage and reports it
        }
        return subscription.wants(new Message(
                subscription.address(),
                row.publishedAt(),
                row.priority(),
                row.expiresAt(),
                row.deliverAt(),
                body,
                row.bodyId()));
    }

    /** Reads a body; null if it is damaged. */
    private byte[] bodyOrNull(long bodyId) {
        try {
            return store.readBody(bodyId);
        } catch (StoreFailure failure) {
            if (failure.kind() == StoreFailure.Kind.CORRUPT) {
                return null;
            }
            throw failure;
        }
    }

    /** Ends the replay: the subscription has everything that was published before this moment. */
    private void end(SubscriptionEntry entry) {
        long subscriptionId = entry.subscription().id();
        writer.write(
                List.of(new CatalogChange.EndReplay(subscriptionId)),
                0,
                tables -> tables.replays().stream()
                        .anyMatch(row -> row.subscriptionId() == subscriptionId && row.finished()));
        state.catalog().replayed(entry);
        LOG.info("{} has received everything that was kept for it", entry.subscription());
    }
}
