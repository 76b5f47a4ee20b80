package io.ringtable.broker.home;

import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.message.Address;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.Predicate;

/**
 * Knows the homes of affinities. New addresses of one affinity go where most addresses of it live, and stay together
 * that way. The home of an affinity without addresses is chosen once.
 * <p>
 * Thread: any.
 */
final class Affinities {
    /** Stands for no shard. */
    static final int NONE = -1;

    private final List<? extends Shard> shards;
    private final Map<String, Integer> chosen = new HashMap<>(); // homes of those that had no address; under the lock
    private final Map<String, Integer> homes = new HashMap<>(); // by the policies of below; under the lock
    private AddressPolicies policies; // under the lock; null = nobody has asked

    Affinities(List<? extends Shard> shards) {
        this.shards = shards;
    }

    /**
     * Returns the number of the shard for a new address; {@link #NONE} if its policy names no affinity.
     *
     * @param fewest chooses the shard of the first address of an affinity
     */
    int homeOf(String name, IntSupplier fewest) {
        AddressPolicies now = shards.get(0).policies().now();
        String affinity = now.of(name).affinity();
        return affinity.isEmpty() ? NONE : homeOf(affinity, now, fewest);
    }

    /**
     * Tells whether no address of the affinity is known, by another look. Addresses that other nodes have made
     * meanwhile say where it lives.
     *
     * @param affinity whose home somebody has asked for
     */
    synchronized boolean isNew(String affinity) {
        if (!chosen.containsKey(affinity)) {
            return false;
        }
        int home = most(shards.get(0).policies().now().haveAffinity(affinity));
        if (home != NONE) {
            chosen.remove(affinity);
            homes.put(affinity, home);
        }
        return home == NONE;
    }

    /** Hears where another node has begun with an affinity. */
    synchronized void begins(String affinity, int home) {
        chosen.put(affinity, home);
        homes.put(affinity, home);
    }

    /** Looks at all addresses once for an affinity, and once more after each change of policies. */
    private synchronized int homeOf(String affinity, AddressPolicies now, IntSupplier fewest) {
        if (policies != now) {
            policies = now;
            homes.clear();
        }
        Integer home = homes.get(affinity);
        if (home == null) {
            home = most(now.haveAffinity(affinity));
            if (home == NONE) {
                home = chosen.computeIfAbsent(affinity, first -> fewest.getAsInt());
            }
            homes.put(affinity, home);
        }
        return home;
    }

    private int most(Predicate<String> names) {
        int best = NONE;
        long most = 0;
        for (int shard = 0; shard < shards.size(); shard++) {
            long count = shards.get(shard).lookup().addresses().stream()
                    .map(Address::name)
                    .filter(names)
                    .count();
            if (count > most) {
                best = shard;
                most = count;
            }
        }
        return best;
    }
}
