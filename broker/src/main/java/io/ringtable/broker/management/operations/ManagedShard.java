package io.ringtable.broker.management.operations;

import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.redelivery.StuckAddress;
import io.ringtable.broker.inspect.Inspector;
import io.ringtable.broker.job.Jobs;
import io.ringtable.broker.message.Address;
import java.util.List;

/** Shows operations the shard that this node owns. Thread: any. */
public interface ManagedShard {
    /** Returns the ways into the shard. */
    Shard doors();

    /** Returns what there is; operations read it and change nothing of it. */
    Catalog catalog();

    /** Returns the jobs over many messages. */
    Jobs jobs();

    /** Returns how many links publish to the address or receive from it. */
    int links(Address address);

    /** Returns what answers questions about single messages. */
    Inspector inspector();

    /** Returns the addresses whose messages should leave them and cannot. */
    List<StuckAddress> stuckAddresses();
}
