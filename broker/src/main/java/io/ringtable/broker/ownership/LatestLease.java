package io.ringtable.broker.ownership;

import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Is over when the last of several leases is: what belongs to no shard in particular leaves while any of them runs.
 * Thread: any.
 */
final class LatestLease extends Lease {
    private final Supplier<Stream<Lease>> leases;

    /** @param leases at each look those that count */
    LatestLease(Supplier<Stream<Lease>> leases) {
        super(System::nanoTime, 0, 0);
        this.leases = leases;
    }

    @Override
    public boolean isBounded() {
        return leases.get().anyMatch(Lease::isBounded);
    }

    @Override
    public long leftNanos() {
        return leases.get().mapToLong(Lease::leftNanos).max().orElse(0);
    }

    @Override
    public long lateRenewals() {
        return leases.get().mapToLong(Lease::lateRenewals).sum();
    }

    @Override
    public void renewed(long askedAt) {
        throw new IllegalStateException("each of the leases is renewed by itself");
    }

    @Override
    public void end() {
        leases.get().forEach(Lease::end);
    }
}
