package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.SubscriptionUser;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import io.ringtable.broker.store.directory.HomeRow.Scope;
import io.ringtable.broker.store.directory.HomeRow.State;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start makes the directory say what the shards have, whatever it said before. */
class DirectoryCheckTest {
    @TempDir
    Path files;

    private SteppedHomes node;

    @BeforeEach
    void open() {
        node = new SteppedHomes(files, 3);
    }

    @AfterEach
    void close() {
        node.close();
    }

    private void start() {
        node.start(node.stored());
    }

    private static HomeRow row(String name, AddressKind kind, int part, int shard, State state, long version) {
        return new HomeRow(Scope.ADDRESS, name, part, kind, shard, "", state, version);
    }

    private void put(HomeRow row) {
        assertThat(node.stored().alter(List.of(HomeChange.put(row))).isApplied())
                .isTrue();
    }

    private List<Integer> homesOf(String name) {
        List<HomeRow> rows = node.rows(Scope.ADDRESS, name);
        assertThat(rows).allSatisfy(row -> assertThat(row.state()).isEqualTo(State.HERE));
        return rows.stream().map(HomeRow::shard).toList();
    }

    @Test
    void namesThatHaveNoRowGetOneInPortions() {
        int names = DirectoryStore.CHANGES_MAX + 100;
        for (int i = 0; i < names; i++) {
            node.shards.get(1).doors.catalog().create("queue." + i, AddressKind.QUEUE);
        }
        node.shards.get(1).run();
        start();
        assertThat(node.stored().changes(0).rows()).hasSize(names).allMatch(row -> row.shard() == 1);
        long version = node.stored().changes(0).version();
        start();
        assertThat(node.stored().changes(0).version())
                .as("nothing is left to change")
                .isEqualTo(version);
    }

    @Test
    void rowsWithoutAnythingGo() {
        put(row("queue", AddressKind.QUEUE, 0, 1, State.HERE, 0));
        put(row("topic", AddressKind.TOPIC, 0, 1, State.GOING, 0));
        put(new HomeRow(Scope.SUBSCRIPTION, "1|c|s", 0, null, 1, "", State.HERE, 0));
        put(new HomeRow(Scope.CLIENT, "c", 0, null, HomeRow.NO_SHARD, "alice", State.HERE, 0));
        start();
        assertThat(node.stored().changes(0).rows()).isEmpty();
    }

    @Test
    void aMarkIsTakenBackWhereTheAddressIsStillThere() {
        node.makeIn(2, "queue", AddressKind.QUEUE);
        put(row("queue", AddressKind.QUEUE, 0, 2, State.GOING, 0));
        start();
        assertThat(homesOf("queue")).containsExactly(2);
        assertThat(node.homes.lookup().find("queue")).isNotNull();
    }

    @Test
    void theShardThatHasTheAddressWins() {
        node.makeIn(2, "queue", AddressKind.QUEUE);
        put(row("queue", AddressKind.TOPIC, 0, 1, State.HERE, 0));
        start();
        assertThat(node.rows(Scope.ADDRESS, "queue"))
                .containsExactly(row("queue", AddressKind.QUEUE, 0, 2, State.HERE, 2));
    }

    @Test
    void aQueueInSeveralShardsHasParts() {
        node.makeIn(0, "queue", AddressKind.QUEUE);
        node.makeIn(2, "queue", AddressKind.QUEUE);
        start();
        assertThat(homesOf("queue")).containsExactly(0, 2);
    }

    @Test
    void aTopicInSeveralShardsHasParts() {
        node.makeIn(2, "topic", AddressKind.TOPIC);
        node.makeIn(1, "topic", AddressKind.TOPIC);
        start();
        assertThat(homesOf("topic")).containsExactly(1, 2);
        Address found = node.homes.lookup().find("topic");
        assertThat(node.shards.get(1).address("topic")).isEqualTo(found);
    }

    @Test
    void ofANameOfBothKindsTheFirstKindIsFound() {
        node.makeIn(0, "name", AddressKind.TOPIC);
        node.makeIn(1, "name", AddressKind.QUEUE);
        node.makeIn(2, "name", AddressKind.TOPIC);
        start();
        assertThat(homesOf("name")).containsExactly(0, 2);
        Address found = node.homes.lookup().find("name");
        assertThat(found.isQueue()).isFalse();
        assertThat(node.homes.partsOf(found).all())
                .extracting(part -> ShardIds.shardOf(part.id()))
                .containsExactly(0, 2);
    }

    @Test
    void anOwnerWhomAnOperatorHasSetByHandCounts() {
        start();
        Address topic = node.await(node.homes.catalog().ensure("topic", AddressKind.TOPIC));
        node.await(
                node.homes.catalog().subscribe(SubscriptionUser.of("alice"), topic, "c", "s", null, false, true, null));
        assertThat(node.rows(Scope.CLIENT, "c")).extracting(HomeRow::owner).containsExactly("alice");
        SteppedShard home = node.shards.stream()
                .filter(shard -> shard.address("topic") != null)
                .findFirst()
                .orElseThrow();
        home.store.alter(home.state.epoch(), List.of(new CatalogChange.OwnClient("c", "bob")));
        home.crashAndRestart();
        start();
        assertThat(node.rows(Scope.CLIENT, "c")).extracting(HomeRow::owner).containsExactly("bob");
    }

    @Test
    void aNameThatTheTableRefusesKeepsNobodyOut() {
        for (String name : List.of("a", "refused", "z")) {
            node.makeIn(1, name, AddressKind.QUEUE);
        }
        DirectoryStore stored = node.stored();
        node.start(new DirectoryStore() {
            @Override
            public Answer alter(List<HomeChange> changes) {
                if (changes.stream().anyMatch(change -> change.row().name().equals("refused"))) {
                    throw new StoreFailure(StoreFailure.Kind.REFUSED, "RT-3011", "the test says so");
                }
                return stored.alter(changes);
            }

            @Override
            public Changes changes(long since) {
                return stored.changes(since);
            }
        });
        assertThat(stored.changes(0).rows()).extracting(HomeRow::name).containsExactlyInAnyOrder("a", "z");
        assertThat(node.homes.lookup().find("refused")).isNotNull();
    }

    @Test
    void anAddressThatItsHomeRefusesLeavesNoRow() {
        start();
        node.shards.forEach(shard -> shard.store.plan =
                (verb, argument) -> verb.equals("alter") ? FaultyStore.Fault.before(StoreFailure.Kind.REFUSED) : null);
        var asked = node.homes.catalog().ensure("queue", AddressKind.QUEUE).toCompletableFuture();
        node.rest();
        assertThat(asked).isCompletedExceptionally();
        assertThat(node.stored().changes(0))
                .satisfies(changes -> assertThat(changes.rows()).isEmpty())
                .satisfies(changes -> assertThat(changes.version()).isEqualTo(2));
    }

    /** Messages may be owed: the deletion is refused, and the name is as it was. */
    @Test
    void aDeletionThatIsRefusedLeavesTheNameAsItWas() {
        start();
        Address topic = node.await(node.homes.catalog().ensure("topic", AddressKind.TOPIC));
        node.await(node.homes.catalog().subscribe(topic, "c", "s", null, false, true));
        var asked = node.homes.catalog().deleteStored(topic, false).toCompletableFuture();
        node.rest();
        assertThat(asked).isCompletedExceptionally();
        assertThat(homesOf("topic")).hasSize(1);
        assertThat(node.rows(Scope.SUBSCRIPTION, "1|c|s")).hasSize(1);
    }
}
