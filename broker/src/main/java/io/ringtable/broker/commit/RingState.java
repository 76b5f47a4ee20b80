package io.ringtable.broker.commit;

import io.ringtable.broker.ring.Ledger;
import io.ringtable.broker.ring.References;
import io.ringtable.broker.ring.Ring;
import io.ringtable.broker.store.ShardState.BacklogSummary;
import java.util.HashMap;
import java.util.Map;

/**
 * What the committer knows of its shard, equal to what the tables say.
 * <p>
 * Thread: committer (before it starts: whoever recovers).
 */
public final class RingState {
    final Ring ring;
    final References references;
    final Ledger ledger;
    final Catalog catalog;
    final Map<Long, Backlog> backlogs = new HashMap<>();
    long epoch;
    long dispatchBound;
    long nextId;
    long nextAtEpoch; // settlements of earlier epochs at or above it are void

    public RingState(
            Ring ring,
            References references,
            Ledger ledger,
            Catalog catalog,
            long epoch,
            long dispatchBound,
            long nextId) {
        this.ring = ring;
        this.references = references;
        this.ledger = ledger;
        this.catalog = catalog;
        this.epoch = epoch;
        this.dispatchBound = dispatchBound;
        this.nextId = nextId;
        this.nextAtEpoch = ring.next();
    }

    public void backlog(BacklogSummary summary) {
        backlogs.put(summary.addressId(), new Backlog(summary));
    }
}
