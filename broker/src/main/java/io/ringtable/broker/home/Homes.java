package io.ringtable.broker.home;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.AddressMove;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.dispatch.PartsElsewhere;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.home.directory.Directory;
import io.ringtable.broker.home.move.CurrentMoves;
import io.ringtable.broker.home.move.MoveKeeper;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.directory.HomeRow;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.work.Work;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Joins the shards of this node. Users, rules, roles and policies are those of the first shard. A shard may be away,
 * and come back as another object.
 * <p>
 * Thread: any.
 */
public final class Homes implements Shard {
    private final List<? extends Shard> shards;
    private final IntSupplier begun;
    private final CurrentMoves moves;
    private final HomeLookup lookup;
    private final HomeParts parts;
    private final DirectoryCheck check;
    private final HomeAddresses addresses;
    private final HomeSubscriptions subscriptions;
    private final HomeCatalog catalog;
    private final HomeQueues queues;
    private final Lease lease;
    private final Directory directory;

    /**
     * Joins shards; {@link #agree} must follow before anybody uses them.
     *
     * @param shards by number, from 0; at least one. Shows at each look which there are
     * @param directory says where names live
     */
    public Homes(List<? extends Shard> shards, Directory directory) {
        this(shards, directory, null, shards::size);
    }

    /**
     * Joins shards of which other nodes may have some or all.
     *
     * @param node lease under which this node carries clients to others; null if no other node serves
     * @param begun gives how many of the shards new names may get: those after them have not begun. It never falls
     */
    public Homes(List<? extends Shard> shards, Directory directory, Lease node, IntSupplier begun) {
        this.shards = shards;
        this.begun = begun;
        this.directory = directory;
        this.moves = new CurrentMoves();
        this.lookup = new HomeLookup(this.shards, moves);
        this.parts = new HomeParts(this.shards, begun, lookup, moves);
        this.check = new DirectoryCheck(this.shards, lookup, directory);
        this.queues = new HomeQueues(this.shards, lookup, moves);
        this.subscriptions = new HomeSubscriptions(this.shards, lookup, directory, check, node != null);
        this.addresses = new HomeAddresses(
                this.shards,
                begun,
                lookup,
                parts,
                directory,
                check,
                moves,
                queues,
                subscriptions,
                name -> followAway(name, Set.of()));
        this.catalog = new HomeCatalog(this.shards, begun, lookup, addresses, subscriptions, null);
        this.lease = Lease.latest(
                node == null
                        ? () -> this.shards.stream().map(Shard::lease)
                        : () -> Stream.concat(
                                Stream.of(node), this.shards.stream().map(Shard::lease)));
    }

    @Override
    public CatalogMailbox catalog() {
        return catalog;
    }

    @Override
    public CatalogMailbox catalogWith(PartsElsewhere others) {
        return new HomeCatalog(shards, begun, lookup, addresses, subscriptions, others);
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
     * Makes the directory say what the shards have. A database that had one shard gets its rows here, and what an
     * earlier owner has left between two steps comes to its end. Thread: the starter of the shards, before their agents
     * run.
     *
     * @throws io.ringtable.broker.store.StoreFailure if the directory cannot be changed
     */
    public void agree() {
        (AwayShard.isAnyShared(shards) ? check.ofTaken() : check).run();
        shards.forEach(addresses.going()::hold);
        addresses.moves().follow(null);
    }

    /**
     * Makes the directory say what a shard has that another node may have owned until now. Thread: any, before anybody
     * uses the shard here.
     *
     * @return fails if the directory cannot be changed
     */
    public CompletionStage<Void> agree(Shard taken, int number) {
        DirectoryCheck alone = DirectoryCheck.ofTaken(taken, number, shards.size(), directory);
        return directory
                .refresh()
                .thenCompose(fresh -> directory.between(alone::run))
                .thenRun(() -> addresses.going().hold(taken));
    }

    /**
     * Hears that the directory has other rows of an address. So shards that other nodes may own get their names, and
     * shards of this node make the parts that another one has placed there. A name that lacks such a part is known once
     * that is made, so no link takes a part for the whole. Thread: any.
     *
     * @param name null = perhaps every address
     */
    public void follow(String name) {
        List<String> all = name != null ? List.of(name) : names();
        List<String> parted = all.stream().filter(addresses::hideParted).toList();
        Set<String> owing = all.stream().filter(addresses::owes).collect(Collectors.toSet());
        followAway(name, owing);
        addresses.moves().follow(name);
        addresses.going().follow(name);
        owing.forEach(addresses::makeOwing);
        parted.forEach(addresses::show);
    }

    private List<String> names() {
        return directory.all().stream()
                .map(rows -> rows.get(0))
                .filter(row -> row.scope() == HomeRow.Scope.ADDRESS)
                .map(HomeRow::name)
                .toList();
    }

    /** Gives shards of other nodes the names that they have. @param but names that are not known before own parts */
    private void followAway(String name, Set<String> but) {
        for (Shard shard : shards) {
            if (shard instanceof AwayShard away && away.isShared()) {
                if (name == null) {
                    away.follow(directory, but);
                } else if (!but.contains(name)) {
                    away.follow(directory, name);
                }
            }
        }
    }

    /**
     * Gives each address that is empty the parts that its policy says and that it lacks. The node died while it made
     * them, or the policy changed. While a shard is away that is left to a later start. Then subscriptions come to
     * their end, as in {@link #settle}. Thread: the starter of the shards, before anybody uses them.
     *
     * @return what waits for all of them
     */
    public CompletionStage<Void> completeParts() {
        CompletionStage<Void> parted = AwayShard.firstOf(shards) == null
                ? new MissingParts(lookup, parts, addresses).complete()
                : CompletableFuture.completedFuture(null); // nobody knows which addresses are empty
        return parted.thenCompose(done -> settle());
    }

    /**
     * Completes or takes back subscriptions that some parts of their topics have, and others lack: a shard died while
     * they were made or deleted. One of a topic with a part that is away waits for that shard. Before that, moves go
     * on.
     *
     * @return what waits for all of them; never fails
     */
    public CompletionStage<Void> settle() {
        return addresses.moves().resume().thenCompose(resumed -> subscriptions.settle());
    }

    /** Takes the next step of whatever is being deleted at several nodes. Thread: any. */
    public void lookAtGoing() {
        addresses.going().look();
        subscriptions.going().look();
    }

    /** Takes the next step of each move that is due. Thread: any. */
    public void lookAtMoves() {
        addresses.moves().look();
    }

    /** Starts the thread that does so. */
    public MoveKeeper keepMoves() {
        return MoveKeeper.start(addresses.moves(), moves);
    }

    @Override
    public AddressMove moveOf(String name) {
        return moves.of(name);
    }

    /**
     * Hears that there may be another part of a queue, for those who read it already. The catalogue of the part's shard
     * has it. A topic gets none while it is read.
     */
    public void partMade(String queue) {
        addresses.agree(queue);
        queues.partMade(queue);
    }

    /** Hears that a shard is away: from now on {@link #back} must follow, once it is there again. Thread: any. */
    public void away(int shard) {
        queues.away(shard);
    }

    /** Hears that a shard is there again, also for those who read a queue that has a part in it. Thread: any. */
    public void back(int shard) {
        queues.back(shard);
    }

    @Override
    public Home homeOf(Address address) {
        return shards.get(ShardIds.shardOf(address.id())).homeOf(address);
    }

    @Override
    public List<Home> homesOf(Address address) {
        List<Address> all = lookup.parts(address);
        return all.size() < 2
                ? List.of(homeOf(address))
                : all.stream().map(this::homeOf).toList();
    }

    /**
     * {@inheritDoc} Clients publish to the first part alone of a queue whose parts they do not choose among. Those who
     * receive from a topic have a subscription in each part, so one that is away decides.
     */
    @Override
    public Address partFor(Address address, boolean publishes) {
        boolean isFirstAlone = publishes && parts.of(address) == null;
        if (isFirstAlone || address.isTemporary()) {
            return address;
        }
        boolean wantsAll = !publishes && !address.isQueue();
        boolean isServed = refusalFor(address) == null;
        if (wantsAll != isServed) {
            return address;
        }
        return lookup.parts(address).stream()
                .filter(part -> wantsAll != (refusalFor(part) == null))
                .findFirst()
                .orElse(address);
    }

    @Override
    public Address ownPart(Address topic) {
        return refusalFor(topic) == null
                ? topic
                : lookup.parts(topic).stream()
                        .filter(part -> refusalFor(part) == null)
                        .findFirst()
                        .orElse(topic);
    }

    /** {@inheritDoc} A shard that comes back gives its parts to those who wait for them, before it takes links. */
    @Override
    public Refusal refusalFor(Address address) {
        Home home = homeOf(address);
        return home.refusal() == null && queues.isAway(home.number())
                ? AwayShard.refusal(home.number(), "it is about to come back")
                : home.refusal();
    }

    @Override
    public Refusal refusalFor(String clientId, String name) {
        return subscriptions.refusalFor(clientId, name);
    }

    @Override
    public CompletionStage<Void> refresh() {
        return directory.refresh();
    }

    @Override
    public CompletionStage<Void> refresh(String address) {
        return directory.refresh().thenCompose(fresh -> addresses.afterTurns(address));
    }

    @Override
    public Home elsewhere(String temporary) {
        int shard = Address.shardOfTemporary(temporary);
        return shard >= 0 && shard < shards.size() && shards.get(shard) instanceof AwayShard away ? away : null;
    }

    @Override
    public Home elsewhere(String clientId, String name) {
        return subscriptions.elsewhere(clientId, name);
    }

    @Override
    public DispatcherMailbox dispatcherOf(Subscription subscription, Home home) {
        Address address = subscription.address();
        return address.isTemporary() ? home.dispatcher() : queues.dispatcherOf(home); // others get parts, or move
    }

    @Override
    public Work atHome(Home home, Work work) {
        return ScatteredWork.atHome(home, work, this);
    }
}
