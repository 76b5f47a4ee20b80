package io.ringtable.broker.shard;

import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.inbox.InboxHomes;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.RingWrites;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Shows the collector of one shard the addresses of the whole node.
 * <p>
 * Thread: inbox-collector.
 *
 * @param here number of the shard
 * @param node all shards of the node
 * @param store of the shard
 * @param epoch under which this node owns the shard now
 */
record NodeInbox(int here, Supplier<Shard> node, RingWrites store, LongSupplier epoch) implements InboxHomes {
    @Override
    public Address find(String name) {
        return node.get().lookup().find(name);
    }

    @Override
    public CompletionStage<Address> ensure(String name, AddressKind kind) {
        return node.get().catalog().ensure(name, kind);
    }

    @Override
    public int homeOf(Address address) {
        return ShardIds.shardOf(address.id());
    }

    @Override
    public void passOn(int home, List<Long> inboxIds) {
        store.passOn(epoch.getAsLong(), home, inboxIds);
        node.get().collectNow(home);
    }
}
