package io.ringtable.broker;

import io.ringtable.broker.agent.ThreadNames;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.durability.Reconciler;
import io.ringtable.broker.ownership.LeaseKeeper;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.placement.PlacedStores;
import io.ringtable.broker.shard.RunningShard;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the shards of this node one by one, in the order of their numbers, and holds the periods of owning them. A
 * lease is renewed from the moment that its shard is taken, also while others are not.
 * <p>
 * Thread: housekeeper.
 */
final class Tenures implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Tenures.class);

    private final PlacedStores stores;
    private final Reconciler.Node node;
    private final List<Tenure> taken = new ArrayList<>(); // by the number of the shard
    private final List<LongSupplier> epochs = new ArrayList<>(); // a running shard may take further ones
    private final List<LeaseKeeper> keepers = new ArrayList<>();

    /** @param stores one for each shard */
    Tenures(PlacedStores stores, Reconciler.Node node) {
        this.stores = stores;
        this.node = node;
    }

    /** Returns how many shards are taken. */
    int count() {
        return taken.size();
    }

    boolean isComplete() {
        return taken.size() == stores.size();
    }

    /** Asks for the next shard. {@link #keep} must follow if this node owns it now. @return null then; else who does */
    Ownership.HeldBy take() {
        int number = taken.size();
        stores.checkBeforeLaying(number);
        long asked = System.nanoTime();
        Ownership ownership = stores.get(number).acquire(node.id(), node.description(), node.lease(), node.geometry());
        if (ownership instanceof Ownership.HeldBy held) {
            return held;
        }
        Tenure tenure = Tenure.begun((Ownership.Owned) ownership, asked);
        if (number == 0) {
            checkCount(tenure);
        }
        taken.add(tenure);
        epochs.add(tenure::epoch);
        return null;
    }

    /** Refuses to serve some of the shards: the addresses of the others would seem to be gone. */
    private void checkCount(Tenure first) {
        int stored = stores.get(0).shards();
        if (stored > stores.size()) {
            resign(0, first.epoch()); // for a node that has them all
            throw new ConfigurationRefused(
                    "RT-1196",
                    "ringtable.shards=" + stores.size() + ", and the store has " + stored
                            + " shards, each with addresses of its own: set ringtable.shards to " + stored
                            + " or more");
        }
    }

    /** Renews the lease of the shard that was taken last. @param onLost as {@link LeaseKeeper} has it */
    void keep(Consumer<ShardStopped> onLost) {
        int number = taken.size() - 1;
        Tenure tenure = taken.get(number);
        keepers.add(new LeaseKeeper(
                        ThreadNames.of("lease-keeper", number),
                        stores.get(number),
                        tenure.lease(),
                        node.lease(),
                        tenure.begunAt(),
                        tenure.epoch(),
                        onLost)
                .start());
    }

    Tenure of(int shard) {
        return taken.get(shard);
    }

    /** Renews and resigns under the epochs of the running shard from now on. */
    void follow(RunningShard shard) {
        epochs.set(shard.number(), shard::epoch);
        keepers.get(shard.number()).follow(shard::epoch);
    }

    /** Ends the leases, so that another node need not wait until they are over. */
    void resign() {
        for (int number = 0; number < taken.size(); number++) {
            resign(number, epochs.get(number).getAsLong());
        }
    }

    private void resign(int shard, long epoch) {
        try {
            stores.get(shard).resign(epoch);
        } catch (StoreFailure failure) {
            LOG.info("this node could not resign, its lease ends by itself: {}", failure.getMessage());
        }
    }

    /** Ends the renewals. */
    @Override
    public void close() {
        keepers.forEach(LeaseKeeper::close);
    }
}
