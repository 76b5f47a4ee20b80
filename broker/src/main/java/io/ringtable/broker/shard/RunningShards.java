package io.ringtable.broker.shard;

import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.home.Homes;
import io.ringtable.broker.home.directory.Directory;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.status.ShardStatus;
import io.ringtable.broker.store.directory.DirectoryStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Runs all shards of this node, by number. The first has the policies of all.
 * <p>
 * Thread: housekeeper; any asks.
 */
public final class RunningShards implements AutoCloseable {
    private final List<RunningShard> shards;
    private final Directory directory;
    private final Shard doors;
    private final Runnable agree; // makes the directory say what the shards have
    private final Consumer<String> onQueue; // tells those who read a queue that it may have another part
    private final Supplier<CompletionStage<Void>> completeParts;

    /** Reads one shard from its tables. */
    @FunctionalInterface
    public interface Recoverer {
        /** @param policies of the first shard; null for the first */
        RunningShard recover(int number, CurrentPolicies policies);
    }

    /** @param directory null if there is one shard, which then has every name */
    private RunningShards(List<RunningShard> shards, Directory directory) {
        this.shards = List.copyOf(shards);
        this.directory = directory;
        if (directory == null) {
            this.doors = shards.get(0);
            this.agree = () -> {};
            this.onQueue = any -> {};
            this.completeParts = () -> CompletableFuture.completedFuture(null);
        } else {
            Homes homes = new Homes(shards, directory);
            this.doors = homes;
            this.agree = homes::agree;
            this.onQueue = homes::partMade;
            this.completeParts = homes::completeParts;
        }
    }

    /**
     * Starts that many shards, or none if one of them fails.
     *
     * @param store finds the directory; asked if there are several shards
     */
    public static RunningShards start(int count, Supplier<DirectoryStore> store, Recoverer recoverer) {
        List<RunningShard> recovered = new ArrayList<>(count);
        Directory directory = null;
        try {
            for (int number = 0; number < count; number++) {
                CurrentPolicies ofFirst =
                        recovered.isEmpty() ? null : recovered.get(0).policies();
                recovered.add(recoverer.recover(number, ofFirst));
            }
            directory = count == 1 ? null : Directory.start(store.get());
            RunningShards all = new RunningShards(recovered, directory);
            all.agree.run();
            Map<String, AddressKind> declared = all.first().policies().now().declared();
            DeclaredAddresses.check(all.doors.lookup(), declared);
            recovered.forEach(shard -> shard.begin(all.doors, all.onQueue));
            all.completeParts.get().toCompletableFuture().join(); // the committers answer, whatever happens
            recovered.forEach(RunningShard::work);
            declared.forEach((name, kind) -> DeclaredAddresses.declare(all.doors.catalog(), name, kind));
            return all;
        } catch (Throwable failure) {
            if (directory != null) {
                directory.close();
            }
            recovered.forEach(RunningShard::giveUp);
            throw failure;
        }
    }

    /** Returns the ways into all of them. */
    public Shard doors() {
        return doors;
    }

    /** Returns the shards by number. */
    public List<RunningShard> all() {
        return shards;
    }

    /** Returns the shard that has the settings of all. */
    public RunningShard first() {
        return shards.get(0);
    }

    /** Returns the lease that ends first. */
    public Lease lease() {
        return doors.lease();
    }

    /** Returns the number of the shard whose lease ends first. Thread: any. */
    public int firstOver() {
        return Collections.min(
                        shards, Comparator.comparingLong(shard -> shard.lease().leftNanos()))
                .number();
    }

    /**
     * Says for people and metrics how each shard stands. A shard whose lease is over serves nobody, even before the
     * housekeeper has noticed. Thread: any.
     *
     * @param known what the housekeeper does with each, by number
     */
    public List<ShardStatus> status(List<ShardStatus> known) {
        List<ShardStatus> all = new ArrayList<>(shards.size());
        for (RunningShard shard : shards) {
            ShardStatus of = known.get(shard.number());
            BrokerState.Phase phase = of.isActive() && shard.lease().isOver() ? BrokerState.Phase.STANDBY : of.phase();
            String text = phase == of.phase() ? of.text() : "the lease is over";
            all.add(new ShardStatus(shard.number(), phase, text, shard.status()));
        }
        return all;
    }

    /** Counts what each shard has done, for rates between two looks. Thread: any. */
    public List<BrokerStatus.Traffic> traffic() {
        return shards.stream().map(RunningShard::traffic).toList();
    }

    /** Returns why shards collect nothing from their inboxes now; null while all collect. Thread: any. */
    public String inboxTrouble() {
        List<String> all = new ArrayList<>();
        for (RunningShard shard : shards) {
            String trouble = shard.inboxTrouble();
            if (trouble != null) {
                all.add(shards.size() == 1 ? trouble : "shard " + shard.number() + ": " + trouble);
            }
        }
        return all.isEmpty() ? null : String.join("; ", all);
    }

    @Override
    public void close() {
        if (directory != null) {
            directory.close();
        }
        shards.forEach(RunningShard::close);
    }
}
