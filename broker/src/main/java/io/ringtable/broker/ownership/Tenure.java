package io.ringtable.broker.ownership;

import io.ringtable.broker.store.Ownership;

/**
 * Holds what belongs to one time of owning a shard. Immutable, save its lease.
 *
 * @param begunAt time before the database was asked for the shard, in ns of {@link System#nanoTime}
 */
public record Tenure(long epoch, Lease lease, long begunAt) {

    /** Begins a time whose lease, if it has an end, runs from before the question. */
    public static Tenure begun(Ownership.Owned owned, long askedAt) {
        Lease lease =
                owned.lease() == null ? Lease.withoutEnd() : Lease.begun(owned.lease(), System::nanoTime, askedAt);
        return new Tenure(owned.epoch(), lease, askedAt);
    }
}
