package io.ringtable.broker.management.operations;

import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.redelivery.StuckAddress;
import io.ringtable.broker.inspect.Inspector;
import io.ringtable.broker.management.Call;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.ring.ShardIds;
import java.util.Collection;
import java.util.List;

/** Shows operations the shards that this node owns, all of them as one. Thread: any. */
public interface ManagedShard {
    /** Returns the ways into the shards. */
    Shard doors();

    /**
     * Returns the stored addresses; operations read them and change nothing. An address with parts has an entry for
     * each.
     */
    Collection<AddressEntry> entries();

    /** Returns the entries of that name, one for each part; none if there is no such address. */
    List<AddressEntry> parts(String name);

    /** Returns the first entry of that name; null if there is none. */
    default AddressEntry byName(String name) {
        List<AddressEntry> parts = parts(name);
        return parts.isEmpty() ? null : parts.get(0);
    }

    /** Returns the same shards, of which a call is about some. */
    default ManagedShard coveredBy(Call call) {
        return call.coversAll() ? this : new Covered(this, call);
    }

    /** Returns what takes changes of one shard. @throws Refusal.Refused while it is away */
    CatalogMailbox catalog(int shard);

    /** Returns the jobs over many messages. */
    ManagedJobs jobs();

    /** Returns how many links publish to the address or receive from it. */
    int links(Address address);

    /** Returns what answers questions about messages of the shard that gave that id. */
    default Inspector inspector(long id) {
        return inspector(ShardIds.shardOf(id));
    }

    /** Returns what answers questions about single messages of a shard. @throws Refusal.Refused if there is none */
    Inspector inspector(int shard);

    /** Returns how many shards there are. */
    int shards();

    /** Returns the addresses whose messages should leave them and cannot. */
    List<StuckAddress> stuckAddresses();

    /** Shows of the shards those that a call is about, where other nodes are asked for the others. */
    record Covered(ManagedShard all, Call call) implements ManagedShard {
        private List<AddressEntry> covered(Collection<AddressEntry> entries) {
            return entries.stream()
                    .filter(entry ->
                            call.covers(ShardIds.shardOf(entry.address().id())))
                    .toList();
        }

        @Override
        public Collection<AddressEntry> entries() {
            return covered(all.entries());
        }

        @Override
        public List<AddressEntry> parts(String name) {
            return covered(all.parts(name));
        }

        @Override
        public Shard doors() {
            return all.doors();
        }

        @Override
        public CatalogMailbox catalog(int shard) {
            return all.catalog(shard);
        }

        @Override
        public ManagedJobs jobs() {
            return all.jobs();
        }

        @Override
        public int links(Address address) {
            return all.links(address);
        }

        @Override
        public Inspector inspector(int shard) {
            return all.inspector(shard);
        }

        @Override
        public int shards() {
            return all.shards();
        }

        @Override
        public List<StuckAddress> stuckAddresses() {
            return all.stuckAddresses();
        }
    }
}
