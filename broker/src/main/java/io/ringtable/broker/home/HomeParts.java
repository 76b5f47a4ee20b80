package io.ringtable.broker.home;

import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.home.move.CurrentMoves;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntSupplier;

/**
 * Makes the parts of an address, and tells publishers which there are (ADR 58, ADR 67). The parts that exist decide
 * where a key goes; policies decide how many a new address gets. While parts are being made, nobody finds it.
 * <p>
 * Thread: any.
 */
final class HomeParts {
    private final List<? extends Shard> shards;
    private final IntSupplier begun;
    private final HomeLookup lookup;
    private final CurrentMoves moves;
    private final ConcurrentMap<String, AtomicInteger> links = new ConcurrentHashMap<>(); // that have asked, by name

    /** @param begun gives how many of the shards get parts */
    HomeParts(List<? extends Shard> shards, IntSupplier begun, HomeLookup lookup, CurrentMoves moves) {
        this.shards = shards;
        this.begun = begun;
        this.lookup = lookup;
        this.moves = moves;
    }

    /** Returns how many parts a new address of that name gets; 1 = its home alone. */
    int wanted(String name) {
        AddressPolicies now = policies();
        int most = begun.getAsInt();
        return now.isDestination(name) ? most : Math.min(now.of(name).parts(), most);
    }

    /**
     * Refuses a new address that is to have a part in a shard that has not begun. With fewer parts it would keep them,
     * since keys would move.
     */
    void requireBegun(String name) {
        int most = begun.getAsInt();
        int parts = policies().of(name).parts();
        if (most < shards.size() && parts > most) {
            String text = "'" + name + "' is to have " + parts + " parts, and the cluster has " + most
                    + " shards, since a node knows no more. Try again once GET /shards shows that all have begun";
            throw new Refusal.Refused(new Refusal(Refusal.Reason.LIMIT, "RT-1233", text));
        }
    }

    /** Tells whether policies move messages to the queue: each shard makes its part by itself (ADR 49). */
    boolean isDestination(String name) {
        return policies().isDestination(name);
    }

    private AddressPolicies policies() {
        return shards.get(0).policies().now();
    }

    /**
     * Returns the parts among which publishers of the address choose. Null if they have no choice: it has one part, or
     * moves. Or policies move messages to it, and none gives it parts for publishers.
     */
    Parts of(Address address) {
        if (address.isTemporary() || moves.of(address.name()) != null) {
            return null;
        }
        String name = address.name();
        boolean complete = !lookup.isHidden(name);
        List<Address> all = lookup.parts(address);
        if (complete && all.size() < 2 || !lookup.parts(name).contains(address)) {
            return null;
        }
        AddressPolicies now = policies();
        if (now.isDestination(name) && now.of(name).parts() < 2) {
            return null;
        }
        return new Parts(all, links.computeIfAbsent(name, first -> new AtomicInteger()), complete);
    }

    /** Hears that an address is gone, with its parts. */
    void deleted(String name) {
        links.remove(name);
    }

    /**
     * Makes the parts one after the other, all of them or none; of a queue to which policies move messages, as many as
     * possible.
     *
     * @param homes of the parts
     * @param ask makes one of them
     * @return the first
     */
    CompletionStage<Address> make(String name, int[] homes, Function<Shard, CompletionStage<Address>> ask) {
        lookup.hide(name);
        List<Address> made = new ArrayList<>(homes.length); // each call follows the one before
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (int home : homes) {
            all = all.thenCompose(done -> ask.apply(shards.get(home))).thenAccept(made::add);
        }
        return all.thenApply(done -> made.get(0))
                .exceptionallyCompose(failure ->
                        takeBack(name, made).thenCompose(done -> CompletableFuture.<Address>failedFuture(failure)))
                .whenComplete((any, failure) -> lookup.show(name));
    }

    /** Deletes parts that nobody has found yet, since another one cannot be made. */
    private CompletionStage<Void> takeBack(String name, List<Address> made) {
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (Address part : isDestination(name) ? List.<Address>of() : made) {
            all = all.thenCompose(done -> shards.get(shardOf(part)).catalog().deleteStored(part, false))
                    .exceptionally(stays -> null);
        }
        return all;
    }

    static int shardOf(Address address) {
        return ShardIds.shardOf(address.id());
    }
}
