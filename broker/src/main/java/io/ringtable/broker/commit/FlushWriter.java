package io.ringtable.broker.commit;

import io.ringtable.broker.durability.Transactor;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.overflow.Stager;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.ring.FlushLog;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.RingOwnership;
import io.ringtable.broker.store.RingWrites;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.work.CommitListener;
import io.ringtable.broker.work.CommitMonitor;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Makes one flush durable, then tells everybody, in this order: memory, the dispatcher, the callers that wait for
 * outcomes.
 * <p>
 * Thread: committer. Failure: an unknown outcome is read from the tables; nobody hears anything once the lease is over.
 */
final class FlushWriter {
    private final RingState state;
    private final RingWrites writes;
    private final RingOwnership ownership;
    private final Transactor transactor;
    private final Lease lease;
    private final CommitListener listener;
    private final CommitMonitor monitor;
    private final Stager stager;
    private final LongSupplier clockMs;
    private boolean troubled; // whether the store takes no writes

    /** @param clockMs ms since the epoch */
    FlushWriter(
            RingState state,
            RingWrites writes,
            RingOwnership ownership,
            Transactor transactor,
            Lease lease,
            CommitListener listener,
            CommitMonitor monitor,
            Stager stager,
            LongSupplier clockMs) {
        this.state = state;
        this.writes = writes;
        this.ownership = ownership;
        this.transactor = transactor;
        this.lease = lease;
        this.listener = listener;
        this.monitor = monitor;
        this.stager = stager;
        this.clockMs = clockMs;
    }

    /**
     * Writes a flush.
     *
     * @throws StoreFailure of kind REFUSED or NOT_WRITABLE only: nothing is durable, and memory keeps nothing of the
     *     flush
     */
    void write(FlushBuilder flush) {
        long begun = System.nanoTime();
        try {
            makeDurable(flush);
        } catch (StoreFailure failure) {
            flush.rolledBack();
            throw failure;
        }
        requireLease();
        if (troubled) {
            troubled = false;
            monitor.storeTrouble(null);
        }
        if (flush.next() > state.next()) {
            state.flushes()
                    .add(new FlushLog.Flushed(
                            state.next(), flush.next() - 1, clockMs.getAsLong(), System.nanoTime() - begun));
        }
        flush.committed(listener);
        monitor.committed(flush.committedMessages());
        monitor.settled(flush.settled());
        complete(flush.completions());
        monitor.flushed(flush.messages(), flush.settled().size(), flush.bytes(), System.nanoTime() - begun);
        if (flush.duplicates() > 0) {
            monitor.duplicates(flush.duplicates());
        }
        flush.bodiesClaimed().forEach(stager::claimed);
        stager.unstage(flush.bodiesOver());
    }

    private void makeDurable(FlushBuilder flush) {
        Flush first = flush.toFlush();
        if (first.isEmpty()) {
            if (flush.concernsTables()) {
                askWhetherStillOwner();
            }
        } else {
            transactor.run(
                    () -> {
                        writes.flush(first.epoch() == state.epoch() ? first : flush.toFlush());
                        return true;
                    },
                    tables -> found(tables, flush));
        }
    }

    /**
     * Asks the store whether this node is still the owner, as nothing of the flush goes to the tables. Its messages are
     * owed by nobody or stored already, and that holds only for the owner. No clock can tell, since a node may freeze
     * right after its look at the clock.
     */
    private void askWhetherStillOwner() {
        transactor.run(
                () -> {
                    ownership.checkOwner(state.epoch());
                    return true;
                },
                tables -> true);
    }

    /**
     * Decides from the tables whether the flush happened. Where next stands tells whether its messages are stored.
     * Everything else may be written twice: whole rows of the ledger, numbers of producers, ids of messages that nobody
     * owes, and deletions in the inbox.
     */
    private Boolean found(ShardState tables, FlushBuilder flush) {
        boolean sameGate = tables.gate() == state.gate();
        if (sameGate && flush.messages() > 0 && tables.next() == flush.next()) {
            return true;
        }
        if (sameGate && tables.next() == state.next()) {
            return null;
        }
        throw Transactor.elsewhere("gate=" + state.gate() + " next=" + state.next() + " or " + flush.next(), tables);
    }

    /**
     * Stops the shard once the lease is over. Durable changes stay durable, but another node may have followed this
     * one.
     */
    void requireLease() {
        if (lease.isOver()) {
            throw new ShardStopped(
                    ShardStopped.Next.STAND_BY, "RT-2110 the lease is over: another node may own the shard", null);
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

    /** Reports that the store takes no writes, until the next flush is durable. */
    void takesNoWrites(StoreFailure failure) {
        troubled = true;
        monitor.storeTrouble(failure.getMessage());
    }

    static Refusal refusal(StoreFailure failure) {
        return new Refusal(
                Refusal.Reason.LIMIT, failure.code(), "the store refused the message: " + failure.getMessage());
    }
}
