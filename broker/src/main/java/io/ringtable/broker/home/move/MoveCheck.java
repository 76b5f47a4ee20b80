package io.ringtable.broker.home.move;

import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Says which addresses can move, and where to. Thread: any. */
public final class MoveCheck {
    private final List<? extends Shard> shards;
    private final int begun;

    /**
     * @param shards of this node, by number
     * @param begun how many of them have begun
     */
    public MoveCheck(List<? extends Shard> shards, int begun) {
        this.shards = shards;
        this.begun = begun;
    }

    /**
     * Returns why the address does not move to that shard; null if it may.
     *
     * @param evenIfParted whether addresses of its affinity may stay where they are
     */
    public Refusal refusal(Address address, int to, boolean evenIfParted) {
        if (to < 0 || to >= begun) {
            return new Refusal(
                    Refusal.Reason.NOT_FOUND,
                    "RT-4622",
                    "there is no shard " + to + ": the broker has the shards 0 to " + (begun - 1));
        }
        if (address.isTemporary()) {
            return notAllowed(
                    "RT-4627", address + " is temporary: it lives as long as the link that made it, and stays");
        }
        if (shards.get(0).policies().now().isDestination(address.name())) {
            return notAllowed(
                    "RT-4628",
                    address + " has a part in every shard, since policies move messages there: name another queue in"
                            + " these policies first");
        }
        int[] homes = homes(address.name());
        if (homes.length > 1) {
            return notAllowed(
                    "RT-4625",
                    address + " has parts in " + homes.length + " shards, which stay: messages of a key would change"
                            + " places");
        }
        if (ShardIds.shardOf(address.id()) == to) {
            return notAllowed("RT-4624", address + " lives in shard " + to + " already");
        }
        Refusal parted = evenIfParted ? null : ofAffinity(address, to);
        if (parted != null) {
            return parted;
        }
        Refusal away = away(address, ShardIds.shardOf(address.id())); // last: a shard may come for the move
        return away == null ? away(address, to) : away;
    }

    /** Returns why an address that moves takes nothing while its next home does not have it. */
    public static Refusal notThereYet(Address address) {
        return new Refusal(
                Refusal.Reason.LIMIT,
                "RT-4621",
                address + " moves to another shard, which does not have it yet: try again");
    }

    private static Refusal notAllowed(String code, String text) {
        return new Refusal(Refusal.Reason.NOT_ALLOWED, code, text);
    }

    private int[] homes(String name) {
        return IntStream.range(0, shards.size())
                .filter(number -> shards.get(number).lookup().find(name) != null)
                .toArray();
    }

    private Refusal away(Address address, int number) {
        return shards.get(number).lease().isOver()
                ? shards.get(number).homeOf(address).refusal()
                : null;
    }

    /** Refuses to part addresses that share transactions. */
    private Refusal ofAffinity(Address address, int to) {
        AddressPolicies now = shards.get(0).policies().now();
        String affinity = now.of(address.name()).affinity();
        if (affinity.isEmpty()) {
            return null;
        }
        Predicate<String> together = now.haveAffinity(affinity);
        long elsewhere = IntStream.range(0, shards.size())
                .filter(number -> number != to)
                .mapToObj(number -> shards.get(number).lookup().addresses().stream())
                .flatMap(addresses -> addresses)
                .filter(other -> !other.name().equals(address.name()) && together.test(other.name()))
                .count();
        return elsewhere == 0
                ? null
                : notAllowed(
                        "RT-4630",
                        address + " has the affinity '" + affinity + "' with " + elsewhere + " addresses outside shard "
                                + to + ": move them all with force, or leave it there, since a transaction has one"
                                + " home");
    }
}
