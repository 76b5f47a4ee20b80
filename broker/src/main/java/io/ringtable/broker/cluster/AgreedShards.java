package io.ringtable.broker.cluster;

import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.node.SeenNodes;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import io.ringtable.broker.store.node.NodeTable.ShardOwner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Agrees with the other nodes on how many shards the cluster has. The directory has one row with the number. Each node
 * that begins writes that row anew, and in the same change one of its own. So nodes that begin at once take turns, and
 * each sees those before it.
 * <p>
 * The number rises when a node begins with a higher one while no other node is alive. It never falls, since the rings
 * are there.
 * <p>
 * Thread: housekeeper agrees, cluster-keeper hears of rows and looks. Failure: a node whose number is another one does
 * not begin. One that others have left behind, as they took it for dead, ends.
 */
final class AgreedShards {
    private static final String ALL = "all"; // names the row with the number; no id of a node is so short
    private static final int TRIES = 100; // each is lost to a node that begins at the same moment

    private final int count;
    private DirectoryStore store; // before the first question, as the next
    private String self;
    private volatile int known; // as the row has it; 0 = not heard yet. Written by cluster-keeper, read by housekeeper

    /** @param count of shards, as this node has it */
    AgreedShards(int count) {
        this.count = count;
    }

    void in(DirectoryStore itsStore, String nodeId) {
        store = itsStore;
        self = nodeId;
    }

    // ---- for the start

    /** Refuses a number below that of the rings: the addresses of the others would seem to be gone. */
    void check(int rings) {
        if (rings > count) {
            throw tooFew("the store has shard " + (rings - 1));
        }
    }

    /**
     * Writes that this node begins with its number.
     *
     * @param rings how many shards have rings
     * @param look lets the other nodes see this one, and then returns which there are; null if that fails
     * @throws ConfigurationRefused if the others have another number
     * @throws StoreFailure if the database does not answer
     */
    void agree(int rings, Supplier<SeenNodes> look) {
        Map<String, HomeRow> rows = new HashMap<>();
        long version = 0;
        for (int tries = 0; tries < TRIES; tries++) {
            DirectoryStore.Changes changes = store.changes(version);
            if (changes.isWhole()) {
                rows.clear();
            }
            changes.rows().stream()
                    .filter(row -> row.scope() == HomeRow.Scope.SHARDS)
                    .forEach(row -> rows.put(row.name(), row));
            version = changes.version();
            SeenNodes seen = look.get(); // after the rows: a node is seen before it has a row
            if (seen == null) {
                throw new StoreFailure(
                        StoreFailure.Kind.UNAVAILABLE,
                        "RT-1224",
                        "this node does not see whether others are alive, and does not begin: it asks again");
            }
            compare(rows, rings, seen);
            if (store.alter(changes(rows, seen)).isApplied()) {
                return;
            }
        }
        throw new StoreFailure(
                StoreFailure.Kind.UNAVAILABLE,
                "RT-1225",
                "other nodes have begun " + TRIES + " times while this one was about to: it tries again");
    }

    private void compare(Map<String, HomeRow> rows, int rings, SeenNodes seen) {
        HomeRow all = rows.get(ALL);
        int agreed = all == null ? rings : all.shard();
        if (count < agreed) {
            throw tooFew("the cluster has " + agreed + " shards");
        }
        if (count > agreed && agreed > 0) {
            String other = alive(rows, seen);
            if (other != null) {
                throw new ConfigurationRefused(
                        "RT-1223",
                        "ringtable.shards=" + count + ", and the cluster has " + agreed + " shards, as node '" + other
                                + "' does, which is alive: set ringtable.shards to " + agreed
                                + ". To add shards stop all nodes, and start each with the higher number");
            }
        }
    }

    /** Returns what another node is called that has begun, or that owns a shard; null if there is none. */
    private String alive(Map<String, HomeRow> rows, SeenNodes seen) {
        return Cluster.alive(seen)
                .filter(node -> !node.nodeId().equals(self))
                .filter(node -> {
                    HomeRow begun = rows.get(node.nodeId());
                    return begun != null && begun.owner().equals(node.runId());
                })
                .map(node -> node.description())
                .findFirst()
                .orElse(seen.owners().stream()
                        .filter(owner -> !owner.nodeId().equals(self))
                        .map(ShardOwner::description)
                        .findFirst()
                        .orElse(null));
    }

    private List<HomeChange> changes(Map<String, HomeRow> rows, SeenNodes seen) {
        List<HomeChange> changes = new ArrayList<>();
        changes.add(HomeChange.put(row(rows, ALL, "")));
        changes.add(HomeChange.put(row(rows, self, seen.node(self).orElseThrow().runId())));
        Set<String> there =
                seen.nodes().stream().map(each -> each.node().nodeId()).collect(Collectors.toSet());
        rows.values().stream()
                .filter(row -> !row.name().equals(ALL) && !there.contains(row.name()))
                .limit(DirectoryStore.CHANGES_MAX - changes.size())
                .forEach(row -> changes.add(HomeChange.remove(row)));
        return changes;
    }

    private HomeRow row(Map<String, HomeRow> rows, String name, String run) {
        HomeRow before = rows.get(name);
        return new HomeRow(
                HomeRow.Scope.SHARDS,
                name,
                0,
                null,
                count,
                run,
                HomeRow.State.HERE,
                before == null ? 0 : before.version());
    }

    private ConfigurationRefused tooFew(String others) {
        return new ConfigurationRefused(
                "RT-1222",
                "ringtable.shards=" + count + ", and " + others + ": give all nodes of the cluster the same number");
    }

    // ---- afterwards

    /** Hears of a row that has changed. */
    void know(HomeRow row) {
        if (row.scope() == HomeRow.Scope.SHARDS && row.name().equals(ALL)) {
            known = row.shard();
        }
    }

    /** Refuses to serve on after others have begun with more shards. They took this node for dead. */
    void look() {
        if (known > count) {
            throw tooFew("the cluster has " + known + " shards by now");
        }
    }
}
