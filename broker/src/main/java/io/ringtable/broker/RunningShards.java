package io.ringtable.broker;

import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.home.Homes;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.shard.DeclaredAddresses;
import io.ringtable.broker.shard.RunningShard;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs all shards of this node, by number. The first has the policies of all.
 * <p>
 * Thread: housekeeper; any asks.
 */
final class RunningShards implements AutoCloseable {
    private final List<RunningShard> shards;
    private final Shard doors;
    private final Lease lease;

    /** Reads one shard from its tables. */
    @FunctionalInterface
    interface Recoverer {
        /** @param policies of the first shard; null for the first */
        RunningShard recover(int number, CurrentPolicies policies);
    }

    private RunningShards(List<RunningShard> shards) {
        this.shards = List.copyOf(shards);
        this.doors = shards.size() == 1 ? shards.get(0) : new Homes(shards);
        this.lease = Lease.earliest(shards.stream().map(RunningShard::lease).toList());
    }

    /** Starts that many shards, or none if one of them fails. */
    static RunningShards start(int count, Recoverer recoverer) {
        List<RunningShard> recovered = new ArrayList<>(count);
        try {
            for (int number = 0; number < count; number++) {
                CurrentPolicies ofFirst =
                        recovered.isEmpty() ? null : recovered.get(0).policies();
                recovered.add(recoverer.recover(number, ofFirst));
            }
            RunningShards all = new RunningShards(recovered);
            Map<String, AddressKind> declared = all.first().policies().now().declared();
            DeclaredAddresses.check(all.doors.lookup(), declared);
            recovered.forEach(shard -> shard.begin(all.doors));
            declared.forEach((name, kind) -> DeclaredAddresses.declare(all.doors.catalog(), name, kind));
            return all;
        } catch (Throwable failure) {
            recovered.forEach(RunningShard::close);
            throw failure;
        }
    }

    /** Returns the ways into all of them. */
    Shard doors() {
        return doors;
    }

    List<RunningShard> all() {
        return shards;
    }

    RunningShard first() {
        return shards.get(0);
    }

    /** Returns the lease that ends first. */
    Lease lease() {
        return lease;
    }

    @Override
    public void close() {
        shards.forEach(RunningShard::close);
    }
}
