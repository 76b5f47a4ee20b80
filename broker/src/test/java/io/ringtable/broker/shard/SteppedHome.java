package io.ringtable.broker.shard;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.trace.MessageTraces;

/** The doors of a stepped shard, for whoever joins several. */
record SteppedHome(SteppedShard shard, CurrentPolicies policies) implements Shard {
    @Override
    public CatalogMailbox catalog() {
        return shard.doors.catalog();
    }

    @Override
    public CatalogLookup lookup() {
        return shard.doors.lookup();
    }

    @Override
    public MessageTraces traces() {
        return MessageTraces.OFF;
    }

    @Override
    public Lease lease() {
        return shard.lease;
    }

    @Override
    public int duplicateIds() {
        return 0;
    }

    @Override
    public Home homeOf(Address address) {
        return new SteppedDoors(shard);
    }

    @Override
    public void collectNow(int number) {
        // The test says when the collector looks.
    }
}
