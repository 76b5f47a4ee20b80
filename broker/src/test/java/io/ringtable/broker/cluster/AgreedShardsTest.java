package io.ringtable.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.node.SeenNodes;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.directory.HomeRow;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.node.NodeTable.Node;
import io.ringtable.broker.store.node.NodeTable.SeenNode;
import io.ringtable.broker.store.node.NodeTable.ShardOwner;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Nodes that begin and raise the number in every order, on a directory of PostgreSQL. The test says which of them are
 * alive, and which own a shard.
 */
class AgreedShardsTest {
    private static final long LEASE_MS = 60_000;

    private final Map<String, Node> alive = new TreeMap<>();
    private final List<ShardOwner> owners = new ArrayList<>();
    private PostgresqlTestDatabase database;
    private RingStore store;

    @BeforeEach
    void open() throws Exception {
        try {
            database = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        store = RingStores.open(database.settings());
    }

    @AfterEach
    void close() throws Exception {
        if (store != null) {
            store.close();
        }
        if (database != null) {
            database.close();
        }
    }

    private AgreedShards node(String id, int count) {
        AgreedShards node = new AgreedShards(count);
        node.in(store.directory(), id);
        alive.put(id, new Node(id, id + " with " + count, "node " + id, "1", "ACTIVE", null, LEASE_MS));
        return node;
    }

    private AgreedShards begun(String id, int count) {
        AgreedShards node = node(id, count);
        assertThat(node.agree(0, this::seen)).isNull();
        return node;
    }

    private SeenNodes seen() {
        return new SeenNodes(
                alive.values().stream().map(each -> new SeenNode(each, 0)).toList(), owners, System.nanoTime());
    }

    private void owns(String id, int shard) {
        owners.add(new ShardOwner(shard, 1, id, "node " + id, LEASE_MS));
    }

    /** Lets nodes hear what the directory has, as they do at each look. */
    private void hear(AgreedShards... nodes) {
        for (HomeRow row : store.directory().changes(0).rows()) {
            Stream.of(nodes).forEach(node -> node.know(row));
        }
    }

    private String agreed() throws Exception {
        return database.ask("SELECT shard_id FROM ringtable.home WHERE scope = 'shards' AND name = 'all'");
    }

    @Test
    void theNumberRisesToWhatEveryLivingNodeKnowsAndOfTwoThatRaiseAtOnceOneDoes() throws Exception {
        AgreedShards a = begun("a", 2);
        AgreedShards b = begun("b", 6);
        AgreedShards c = begun("c", 4);
        hear(a, b, c);
        assertThat(List.of(a.begun(), b.begun(), c.begun())).containsOnly(2);
        assertThat(b.whyNotBegun(seen()))
                .isEqualTo("the cluster has 2 shards, and this node knows 6. The others begin once these nodes know"
                        + " them: 'node a'; raise ringtable.shards there, and restart them one after the other");
        b.raise(seen());
        assertThat(agreed()).as("a is alive").isEqualTo("2");

        alive.remove("a");
        owns("a", 0);
        b.raise(seen());
        assertThat(agreed()).as("a owns a shard, though it does not beat").isEqualTo("2");

        owners.clear();
        SeenNodes before = seen();
        hear(b, c);
        b.raise(before);
        assertThat(agreed()).as("b has not looked since it heard").isEqualTo("2");

        b.raise(seen());
        String version = database.ask("SELECT version FROM ringtable.home WHERE scope = 'shards' AND name = 'all'");
        c.raise(seen()); // knows the number of before
        assertThat(database.ask("SELECT version FROM ringtable.home WHERE scope = 'shards' AND name = 'all'"))
                .isEqualTo(version);
        hear(b, c);
        assertThat(List.of(b.begun(), c.begun())).containsOnly(4);
        assertThat(agreed()).isEqualTo("4");
        assertThat(b.whyNotBegun(seen())).contains("'node c'").doesNotContain("'node a'");
        hear(a);
        assertThatThrownBy(a::look).isInstanceOf(ConfigurationRefused.class).hasMessageContaining("RT-1222");
    }

    @Test
    void aNodeThatBeginsWithFewerWhileTheNumberRisesIsSeenOrRefused() throws Exception {
        begun("a", 2);
        AgreedShards b = begun("b", 4);
        hear(b);
        alive.remove("a");
        AgreedShards late = node("late", 2);
        SeenNodes without = seen(); // it has not begun
        assertThat(late.agree(0, this::seen)).isNull();
        b.raise(without);
        assertThat(agreed()).as("it began first").isEqualTo("2");
        hear(b);
        b.raise(seen());
        assertThat(agreed()).as("it is alive").isEqualTo("2");

        alive.remove("late");
        AgreedShards later = node("later", 2);
        assertThatThrownBy(() -> later.agree(0, () -> {
                    b.raise(seen());
                    return seen();
                }))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessage("RT-1222 ringtable.shards=2, and the cluster has 4 shards: set it to that number or more at"
                        + " this node, and start it again");
        assertThat(agreed()).isEqualTo("4");
    }

    @Test
    void aNodeWaitsForAnOwnerThatKnowsOfNoCluster() throws Exception {
        owns("single", 0);
        AgreedShards a = node("a", 2);

        assertThat(a.agree(1, this::seen))
                .startsWith(
                        "RT-1229 ringtable.shards=2, and node 'node single' owns one of 1 shards without a cluster");
        assertThat(database.ask("SELECT count(*) FROM ringtable.home")).isEqualTo("0");

        owners.clear();
        assertThat(a.agree(1, this::seen)).isNull();
        assertThat(agreed()).isEqualTo("2");
    }
}
