package io.ringtable.broker.ownership;

import java.util.List;

/** Is over when the first of several leases is: bytes of their shards leave by the same sockets. Thread: any. */
final class EarliestLease extends Lease {
    private final List<Lease> leases;

    EarliestLease(List<Lease> leases) {
        super(System::nanoTime, 0, 0);
        this.leases = List.copyOf(leases);
    }

    @Override
    public boolean isBounded() {
        return leases.stream().anyMatch(Lease::isBounded);
    }

    @Override
    public long leftNanos() {
        long left = Long.MAX_VALUE;
        for (Lease lease : leases) {
            left = Math.min(left, lease.leftNanos());
        }
        return left;
    }

    @Override
    public long lateRenewals() {
        return leases.stream().mapToLong(Lease::lateRenewals).sum();
    }

    @Override
    public void renewed(long askedAt) {
        throw new IllegalStateException("each of the leases is renewed by itself");
    }

    @Override
    public void end() {
        leases.forEach(Lease::end);
    }
}
