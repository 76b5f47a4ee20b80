package io.ringtable.broker.shard;

import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.home.AwayShard;
import io.ringtable.broker.home.Homes;
import io.ringtable.broker.home.directory.SteppedDirectory;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeRow;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.sqlite.SqliteTestDatabase;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Several stepped shards and their directory, as one node has them; the test's thread takes every step. */
final class SteppedHomes implements AutoCloseable {
    final List<SteppedShard> shards = new ArrayList<>();
    private final CurrentPolicies policies;
    private final List<Shard> doors = new ArrayList<>();
    private SteppedDirectory directory;
    Homes homes;

    /** Opens the shards, and takes none of them into use. */
    SteppedHomes(Path files, int count) {
        this(files, count, SteppedSettings.PLAIN);
    }

    /** Opens the shards, for whose addresses these policies count. */
    SteppedHomes(Path files, int count, AddressPolicies policies) {
        this.policies = new CurrentPolicies(policies);
        for (int number = 0; number < count; number++) {
            SqliteTestDatabase.layMigrated(files, number);
            SteppedShard shard = new SteppedShard(files);
            shard.policies = policies;
            shards.add(shard.open(RingStores.open(StoreSettings.embedded(files).ofShard(number))));
        }
    }

    /** The directory in the file of shard 0. */
    DirectoryStore stored() {
        return shards.get(0).store.directory();
    }

    /** Begins as a node does that has taken all shards. */
    void start(DirectoryStore store) {
        directory = new SteppedDirectory(store);
        doors.clear();
        shards.forEach(shard -> doors.add(new SteppedHome(shard, policies)));
        homes = new Homes(doors, directory.directory());
        homes.agree();
    }

    /** Begins likewise, and completes what lacks a part before anybody uses the shards. */
    void startWhole(DirectoryStore store) {
        start(store);
        await(homes.completeParts());
    }

    /** Has a shard stop, as it does after a failure; its tables may have more than it knew. */
    void leave(int number) {
        SteppedShard leaving = shards.get(number);
        doors.set(number, new AwayShard(doors.get(number), leaving.committer.entries(), "the test says so"));
    }

    /** Has a shard be away that this node has never seen. */
    void neverSee(int number) {
        doors.set(number, AwayShard.unseen(doors.get(0), number, directory.directory(), "the test says so"));
    }

    /** Turns until nobody has anything to do. */
    void rest() {
        boolean worked = true;
        while (worked) {
            worked = directory.turn();
            for (SteppedShard shard : shards) {
                worked |= shard.run();
            }
        }
    }

    /** Takes one turn of the directory, or has one of the shards come to rest, by its number. */
    void turn(int shardOrDirectory) {
        if (shardOrDirectory == shards.size()) {
            directory.turn();
        } else {
            shards.get(shardOrDirectory).run();
        }
    }

    <T> T await(CompletionStage<T> stage) {
        rest();
        return stage.toCompletableFuture().join();
    }

    /** Makes an address in a shard, past the directory. */
    void makeIn(int shard, String name, AddressKind kind) {
        shards.get(shard).await(shards.get(shard).doors.catalog().create(name, kind));
    }

    /** Returns what the directory has of a name, by part. */
    List<HomeRow> rows(HomeRow.Scope scope, String name) {
        return stored().changes(0).rows().stream()
                .filter(row -> row.scope() == scope && row.name().equals(name))
                .sorted(Comparator.comparingInt(HomeRow::part))
                .toList();
    }

    @Override
    public void close() {
        shards.forEach(SteppedShard::close);
    }
}
