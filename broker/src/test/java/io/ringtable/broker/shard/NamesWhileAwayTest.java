package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.catalog.SubscriptionUser;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import io.ringtable.broker.store.directory.HomeRow.Scope;
import io.ringtable.broker.store.directory.HomeRow.State;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** While a shard is away, a name is made where the directory shows that the shard does not have it. */
class NamesWhileAwayTest {
    private static final int AWAY = 1;
    private static final SubscriptionUser ALICE = SubscriptionUser.of("alice");

    @TempDir
    Path files;

    private SteppedHomes node;

    @BeforeEach
    void open() {
        node = new SteppedHomes(files, 3);
        node.start(node.stored());
    }

    @AfterEach
    void close() {
        node.close();
    }

    private CompletionStage<Address> ensure(String name, AddressKind kind) {
        return node.homes.catalog().ensure(name, kind);
    }

    private void refused(CompletionStage<?> asked, String code) {
        node.rest();
        assertThatThrownBy(() -> asked.toCompletableFuture().join())
                .hasCauseInstanceOf(Refusal.Refused.class)
                .hasMessageContaining(code);
    }

    private static HomeRow queueAway(String name) {
        return new HomeRow(Scope.ADDRESS, name, 0, AddressKind.QUEUE, AWAY, "", State.HERE, 0);
    }

    /** Puts a row as a creation leaves it whose answer was lost with the shard. */
    private void beginWith(HomeRow row) {
        node.stored().alter(List.of(HomeChange.put(row)));
        node.await(ensure("another", AddressKind.QUEUE)); // with its answer the node reads what has changed
    }

    @Test
    void aNameThatNobodyHasIsMadeInTheOthers() {
        node.leave(AWAY);
        for (int i = 0; i < 6; i++) {
            Address made = node.await(ensure("queue." + i, AddressKind.QUEUE));
            assertThat(ShardIds.shardOf(made.id())).isNotEqualTo(AWAY);
        }
    }

    @Test
    void theDirectoryNamesWhatAShardHasThatWasNeverSeen() {
        beginWith(queueAway("queue"));
        node.stored()
                .alter(List.of(
                        HomeChange.put(new HomeRow(Scope.SUBSCRIPTION, "1|c|s", 0, null, AWAY, "", State.HERE, 0))));
        node.await(ensure("a third", AddressKind.QUEUE)); // with its answer the node reads what has changed
        node.neverSee(AWAY);

        Address queue = node.homes.lookup().find("queue");
        assertThat(queue.isQueue()).isTrue();
        assertThat(ShardIds.shardOf(queue.id())).isEqualTo(AWAY);
        assertThat(node.homes.refusalFor(queue).code()).isEqualTo("RT-4533");
        refused(ensure("queue", null), "RT-4533");
        refused(node.homes.catalog().deleteStored(queue, true), "RT-4533");
        assertThat(node.homes.refusalFor("c", "s").code()).isEqualTo("RT-4533");
        assertThat(node.homes.refusalFor("c", "another")).isNull();
        Address free = node.await(ensure("free", AddressKind.QUEUE));
        assertThat(ShardIds.shardOf(free.id())).isNotEqualTo(AWAY);
        assertThat(node.rows(Scope.ADDRESS, "queue"))
                .allMatch(row -> row.state() == State.HERE)
                .extracting(HomeRow::shard)
                .containsExactly(AWAY);
    }

    @Test
    void aNameThatTheShardMayHaveIsNotMadeElsewhere() {
        beginWith(queueAway("queue"));
        node.leave(AWAY);
        refused(ensure("queue", AddressKind.QUEUE), "RT-4534");
        assertThat(node.rows(Scope.ADDRESS, "queue")).extracting(HomeRow::shard).containsExactly(AWAY);
    }

    @Test
    void aSubscriptionThatTheShardMayHaveIsNotMadeElsewhere() {
        Address topic = node.await(ensure("topic", AddressKind.TOPIC));
        assertThat(ShardIds.shardOf(topic.id())).isNotEqualTo(AWAY);
        beginWith(new HomeRow(Scope.SUBSCRIPTION, "1|c|s", 0, null, AWAY, "", State.HERE, 0));
        node.leave(AWAY);
        refused(node.homes.catalog().subscribe(topic, "c", "s", null, false, true), "RT-4534");
        node.await(node.homes.catalog().subscribe(topic, "c", "another", null, false, true));
        assertThat(node.rows(Scope.SUBSCRIPTION, "1|c|s"))
                .extracting(HomeRow::shard)
                .containsExactly(AWAY);
    }

    @Test
    void aClientIdThatMayBelongToAnotherUserThereIsNotGivenAway() {
        Address topic = node.await(ensure("topic", AddressKind.TOPIC));
        beginWith(new HomeRow(Scope.CLIENT, "c", 0, null, HomeRow.NO_SHARD, "bob", State.HERE, 0));
        node.leave(AWAY);
        refused(node.homes.catalog().subscribe(ALICE, topic, "c", "s", null, false, true, null), "RT-4534");
        node.await(node.homes.catalog().subscribe(ALICE, topic, "d", "s", null, false, true, null));
        assertThat(node.rows(Scope.CLIENT, "c")).extracting(HomeRow::owner).containsExactly("bob");
    }

    @Test
    void aDeletionInAnotherShardLeavesTheRowsOfThisOne() {
        Address topic = node.await(ensure("topic", AddressKind.TOPIC));
        beginWith(new HomeRow(Scope.CLIENT, "c", 0, null, HomeRow.NO_SHARD, "alice", State.HERE, 0));
        node.leave(AWAY);
        node.await(node.homes
                .catalog()
                .subscribe(ALICE, topic, "c", "s", null, false, true, null)
                .thenAccept(made -> node.homes.catalog().leave(made)));
        node.await(node.homes.catalog().unsubscribe(ALICE, node.homes.lookup().find("c", "s")));
        assertThat(node.rows(Scope.SUBSCRIPTION, "1|c|s")).isEmpty();
        assertThat(node.rows(Scope.CLIENT, "c")).hasSize(1);
    }
}
