package io.ringtable.broker;

import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.store.Ownership;

/**
 * Holds what belongs to one period of owning the shard.
 *
 * @param begunAt time before the database was asked for the shard, in ns of {@link System#nanoTime}
 */
record Tenure(long epoch, Lease lease, long begunAt) {

    /** Begins a period whose lease, if it has an end, runs from before the question. */
    static Tenure begun(Ownership.Owned owned, long askedAt) {
        Lease lease =
                owned.lease() == null ? Lease.withoutEnd() : Lease.begun(owned.lease(), System::nanoTime, askedAt);
        return new Tenure(owned.epoch(), lease, askedAt);
    }
}
