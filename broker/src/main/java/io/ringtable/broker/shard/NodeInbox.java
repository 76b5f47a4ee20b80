package io.ringtable.broker.shard;

import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.inbox.InboxEncoder;
import io.ringtable.broker.inbox.InboxHomes;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.PartKey;
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
 * @param encoder reads the groups of messages
 */
record NodeInbox(int here, Supplier<Shard> node, RingWrites store, LongSupplier epoch, InboxEncoder encoder)
        implements InboxHomes {
    @Override
    public Address find(String name) {
        return node.get().lookup().find(name);
    }

    @Override
    public CompletionStage<Address> ensure(String name, AddressKind kind) {
        return node.get().catalog().ensure(name, kind);
    }

    /**
     * {@inheritDoc} Messages without a group share one part: their applications wrote them in an order, and no link
     * tells one application from another.
     */
    @Override
    public Address partOf(Address address, InboxMessage message) {
        Parts parts = node.get().partsOf(address);
        if (parts == null) {
            return address;
        }
        if (!parts.areComplete()) {
            return null;
        }
        String key = encoder.group(message);
        return parts.of(PartKey.of(key == null ? address.name() : key));
    }

    @Override
    public boolean isWhole(Address address) {
        return !address.isTemporary() && node.get().partsOf(address) == null;
    }

    @Override
    public boolean areAlone() {
        return node.get() instanceof RunningShard;
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
