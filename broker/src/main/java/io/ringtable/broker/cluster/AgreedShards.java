package io.ringtable.broker.cluster;

import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.node.SeenNodes;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import io.ringtable.broker.store.node.NodeTable.Node;
import io.ringtable.broker.store.node.NodeTable.ShardOwner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Agrees with the other nodes on how many shards the cluster has. The directory has one row with the number, and one of
 * each node with how many that one knows. Each node that begins writes both in one change. So nodes that begin at once
 * take turns, and each sees those before it.
 * <p>
 * The number rises once every node that is alive knows more ({@link #raise}). It never falls, since the rings are
 * there.
 * <p>
 * Thread: housekeeper agrees, cluster-keeper hears of rows, raises and looks; any reads how many have begun. Failure: a
 * node that knows fewer does not begin. One that others have left behind, as they took it for dead, ends.
 */
final class AgreedShards {
    private static final Logger LOG = LoggerFactory.getLogger(AgreedShards.class);
    private static final String ALL = "all"; // names the row with the number; no id of a node is so short
    private static final int TRIES = 100; // each is lost to a node that begins at the same moment

    private final int count;
    private DirectoryStore store; // before the first question, as the next
    private String self;
    private final AtomicInteger agreed = new AtomicInteger(); // the highest heard; 0 = none yet
    private final Map<String, HomeRow> rows = new ConcurrentHashMap<>(); // by name; cluster-keeper writes, any reads
    private long heardAt; // when the last of them was heard; cluster-keeper's

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
     * Writes that this node begins with its number, which may be above that of the cluster.
     *
     * @param rings how many shards have rings
     * @param look lets the other nodes see this one, and then returns which there are; null if that fails
     * @return null if that is written. Else why this node has to wait, for people: another one owns a shard and has
     *     told nobody how many it knows
     * @throws ConfigurationRefused if the cluster has more shards
     * @throws StoreFailure if the database does not answer
     */
    String agree(int rings, Supplier<SeenNodes> look) {
        Map<String, HomeRow> read = new HashMap<>();
        long version = 0;
        for (int tries = 0; tries < TRIES; tries++) {
            DirectoryStore.Changes changes = store.changes(version);
            if (changes.isWhole()) {
                read.clear();
            }
            changes.rows().stream()
                    .filter(row -> row.scope() == HomeRow.Scope.SHARDS)
                    .forEach(row -> read.put(row.name(), row));
            version = changes.version();
            SeenNodes seen = look.get(); // after the rows: a node is seen before it has a row
            if (seen == null) {
                throw new StoreFailure(
                        StoreFailure.Kind.UNAVAILABLE,
                        "RT-1224",
                        "this node does not see whether others are alive, and does not begin: it asks again");
            }
            HomeRow all = read.get(ALL);
            int before = all == null ? rings : all.shard();
            if (count < before) {
                throw tooFew("the cluster has " + before + " shards");
            }
            int next = Math.max(before, known(read, seen, before));
            if (all == null && next < count) {
                return "RT-1229 ringtable.shards=" + count + ", and node '" + foreign(seen) + "' owns one of " + before
                        + " shards without a cluster: this node begins once that one has stopped";
            }
            if (store.alter(changes(read, seen, next)).isApplied()) {
                begin(next);
                return null;
            }
        }
        throw new StoreFailure(
                StoreFailure.Kind.UNAVAILABLE,
                "RT-1225",
                "other nodes have begun " + TRIES + " times while this one was about to: it tries again");
    }

    /**
     * Returns the lowest number that a living node knows, this one among them. Alive is one that has begun and that has
     * beaten within its lease, or that owns a shard.
     *
     * @param agreed what an owner knows that has no row
     */
    private int known(Map<String, HomeRow> of, SeenNodes seen, int agreed) {
        return Stream.concat(
                        Cluster.alive(seen)
                                .map(node -> begun(of, node))
                                .filter(row -> row != null && !row.name().equals(self))
                                .map(HomeRow::shard),
                        foreigners(seen)
                                .map(owner -> of.get(owner.nodeId()))
                                .map(row -> row == null ? agreed : row.shard()))
                .reduce(count, Math::min);
    }

    /** Returns the row of the present run of a node; null while that has not begun. */
    private static HomeRow begun(Map<String, HomeRow> of, Node node) {
        HomeRow row = of.get(node.nodeId());
        return row != null && row.owner().equals(node.runId()) ? row : null;
    }

    private Stream<ShardOwner> foreigners(SeenNodes seen) {
        return seen.owners().stream().filter(owner -> !owner.nodeId().equals(self));
    }

    private String foreign(SeenNodes seen) {
        return foreigners(seen).map(ShardOwner::description).findFirst().orElse("");
    }

    private List<HomeChange> changes(Map<String, HomeRow> read, SeenNodes seen, int next) {
        List<HomeChange> changes = new ArrayList<>();
        changes.add(HomeChange.put(row(read.get(ALL), ALL, next, "")));
        changes.add(HomeChange.put(
                row(read.get(self), self, count, seen.node(self).orElseThrow().runId())));
        Set<String> there =
                seen.nodes().stream().map(each -> each.node().nodeId()).collect(Collectors.toSet());
        read.values().stream()
                .filter(row -> !row.name().equals(ALL) && !there.contains(row.name()))
                .limit(DirectoryStore.CHANGES_MAX - changes.size())
                .forEach(row -> changes.add(HomeChange.remove(row)));
        return changes;
    }

    private static HomeRow row(HomeRow before, String name, int shards, String run) {
        return new HomeRow(
                HomeRow.Scope.SHARDS,
                name,
                0,
                null,
                shards,
                run,
                HomeRow.State.HERE,
                before == null ? 0 : before.version());
    }

    private ConfigurationRefused tooFew(String others) {
        return new ConfigurationRefused(
                "RT-1222",
                "ringtable.shards=" + count + ", and " + others
                        + ": set it to that number or more at this node, and start it again");
    }

    // ---- afterwards

    /** Hears of a row that has changed. @return whether more shards have begun */
    boolean know(HomeRow row) {
        if (row.scope() != HomeRow.Scope.SHARDS) {
            return false;
        }
        rows.put(row.name(), row);
        heardAt = System.nanoTime();
        return row.name().equals(ALL) && begin(row.shard());
    }

    private boolean begin(int all) {
        int before = agreed.getAndAccumulate(all, Math::max);
        boolean isMore = all > before && before > 0;
        if (isMore) {
            LOG.info("the cluster has {} shards, and had {}: every node that is alive knows them", all, before);
        }
        return isMore;
    }

    /**
     * Raises the number to what all living nodes know, if that is more. The change names the version of the row that
     * each node writes when it begins. So a node that begins meanwhile with fewer is seen, or finds the higher number
     * and is refused.
     *
     * @param seen asked for after the rows were heard, or nothing happens; null = not asked for yet
     * @throws StoreFailure if the database does not answer; raised or not, a later look goes on
     */
    void raise(SeenNodes seen) {
        HomeRow all = rows.get(ALL);
        if (all == null || all.shard() >= count || seen == null || seen.askedAt() - heardAt < 0) {
            return;
        }
        int next = known(rows, seen, all.shard());
        if (next > all.shard()) {
            store.alter(List.of(HomeChange.put(row(all, ALL, next, ""))));
        }
    }

    /** Refuses to serve on after others have begun with more shards. They took this node for dead. */
    void look() {
        if (agreed.get() > count) {
            throw tooFew("the cluster has " + agreed.get() + " shards by now");
        }
    }

    // ---- for any thread

    /** Returns how many of this node's shards have begun; all of them before the nodes have agreed. */
    int begun() {
        int heard = agreed.get();
        return heard == 0 ? count : Math.min(heard, count);
    }

    /** Returns how many shards a node knows; null while nobody has heard that. */
    Integer knownBy(Node node) {
        HomeRow row = begun(rows, node);
        return row == null ? null : row.shard();
    }

    /** Says why the shards after those that have begun have not, for people. @param seen null before the first look */
    String whyNotBegun(SeenNodes seen) {
        int begun = begun();
        String text = "the cluster has " + begun + " shards, and this node knows " + count;
        String others = seen == null
                ? ""
                : Cluster.alive(seen)
                        .filter(node -> !node.nodeId().equals(self))
                        .filter(node -> knownBy(node) != null && knownBy(node) <= begun)
                        .map(node -> "'" + node.description() + "'")
                        .collect(Collectors.joining(", "));
        return others.isEmpty()
                ? text + ": the others begin once no node that is alive knows fewer"
                : text + ". The others begin once these nodes know them: " + others
                        + "; raise ringtable.shards there, and restart them one after the other";
    }
}
