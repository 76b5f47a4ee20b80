package io.ringtable.broker.home;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.work.Work;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Joins the shards of this node. Users, rules, roles and policies are those of the first shard. A shard may be away,
 * and come back as another object.
 * <p>
 * Thread: any.
 */
public final class Homes implements Shard {
    private final List<? extends Shard> shards;
    private final HomeLookup lookup;
    private final HomeParts parts;
    private final HomeCatalog catalog;
    private final HomeQueues queues;
    private final Lease lease;

    /** @param shards by number, from 0; at least one. Shows at each look which there are */
    public Homes(List<? extends Shard> shards) {
        this.shards = shards;
        this.lookup = new HomeLookup(this.shards);
        this.parts = new HomeParts(this.shards, lookup);
        this.catalog = new HomeCatalog(this.shards, lookup, parts);
        this.queues = new HomeQueues(this.shards);
        this.lease = Lease.latest(() -> this.shards.stream().map(Shard::lease));
    }

    @Override
    public CatalogMailbox catalog() {
        return catalog;
    }

    @Override
    public CatalogLookup lookup() {
        return lookup;
    }

    @Override
    public CurrentPolicies policies() {
        return shards.get(0).policies();
    }

    @Override
    public MessageTraces traces() {
        return shards.get(0).traces();
    }

    @Override
    public Lease lease() {
        return lease;
    }

    @Override
    public int duplicateIds() {
        return shards.get(0).duplicateIds();
    }

    @Override
    public void collectNow(int shard) {
        shards.get(shard).collectNow(shard);
    }

    @Override
    public Parts partsOf(Address address) {
        return parts.of(address);
    }

    /**
     * Gives each queue that is empty the parts that its policy says and that it lacks. The node died while it made
     * them, or the policy changed. Thread: the starter of the shards, before anybody uses them.
     *
     * @return what waits for all of them
     */
    public CompletionStage<Void> completeParts() {
        return new MissingParts(lookup, parts, catalog).complete();
    }

    /**
     * Hears that there may be another part of a queue, for those who read it already. The catalogue of the part's shard
     * has it.
     */
    public void partMade(String queue) {
        queues.partMade(queue);
    }

    @Override
    public Home homeOf(Address address) {
        return shards.get(ShardIds.shardOf(address.id())).homeOf(address);
    }

    @Override
    public List<Home> homesOf(Address address) {
        List<Address> all = address.isQueue() && !address.isTemporary() ? lookup.parts(address.name()) : List.of();
        return all.size() < 2
                ? List.of(homeOf(address))
                : all.stream().map(this::homeOf).toList();
    }

    @Override
    public DispatcherMailbox dispatcherOf(Subscription subscription, Home home) {
        Address address = subscription.address();
        return address.isQueue() && !address.isTemporary() ? queues.dispatcherOf(home) : home.dispatcher();
    }

    @Override
    public Work atHome(Home home, Work work) {
        return ScatteredWork.atHome(home, work, this);
    }
}
