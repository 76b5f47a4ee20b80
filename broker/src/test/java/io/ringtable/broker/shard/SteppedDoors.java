package io.ringtable.broker.shard;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.DeliveryKey;
import io.ringtable.broker.overflow.BodyIds;
import io.ringtable.broker.overflow.StagerMailbox;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.work.CommitterMailbox;
import java.util.Optional;

/** Gives the ways into a stepped shard, as the code that brings clients to a shard wants them. */
record SteppedDoors(SteppedShard stepped) implements Shard, Home {
    @Override
    public CatalogMailbox catalog() {
        return stepped.doors.catalog();
    }

    @Override
    public CatalogLookup lookup() {
        return stepped.doors.lookup();
    }

    @Override
    public CommitterMailbox committer() {
        return stepped.doors.committer();
    }

    @Override
    public StagerMailbox stager() {
        return stepped.doors.stager();
    }

    @Override
    public BodyIds bodyIds() {
        return stepped.doors.bodyIds();
    }

    @Override
    public DispatcherMailbox dispatcher() {
        return stepped.dispatcher.mailbox();
    }

    @Override
    public CurrentPolicies policies() {
        return new CurrentPolicies(stepped.policies);
    }

    @Override
    public MessageTraces traces() {
        return MessageTraces.OFF;
    }

    @Override
    public Lease lease() {
        return stepped.lease;
    }

    @Override
    public int duplicateIds() {
        return 0;
    }

    @Override
    public Optional<DeliveryKey> deliveryKey() {
        return Optional.empty();
    }

    @Override
    public int number() {
        return 0;
    }

    @Override
    public boolean isOver() {
        return stepped.lease.isOver();
    }

    @Override
    public Home homeOf(Address address) {
        return this;
    }

    @Override
    public void collectNow(int shard) {
        throw new AssertionError("there is no other shard");
    }
}
