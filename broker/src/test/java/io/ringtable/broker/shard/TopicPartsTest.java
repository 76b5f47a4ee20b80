package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import io.ringtable.broker.store.directory.HomeRow.Scope;
import io.ringtable.broker.store.directory.HomeRow.State;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Subscriptions of a topic with three parts, where a part refuses, is away, or has something else than the others. */
class TopicPartsTest {
    private static final int SHARDS = 3;

    @TempDir
    Path files;

    private SteppedHomes node;
    private Address topic;

    @BeforeEach
    void open() {
        node = new SteppedHomes(files, SHARDS, SteppedSettings.parts(Map.of("news.#", SHARDS)));
        node.startWhole(node.stored());
        topic = node.await(node.homes.catalog().ensure("news", AddressKind.TOPIC));
    }

    @AfterEach
    void close() {
        node.close();
    }

    private CompletionStage<Subscription> subscribe(String prefix, boolean shared) {
        return node.homes
                .catalog()
                .subscribe(topic, "c", "s", prefix == null ? null : SteppedShard.selector(prefix), false, shared);
    }

    private void left(CompletionStage<Subscription> asked) {
        node.homes.catalog().leave(node.await(asked));
        node.rest();
    }

    private void refused(CompletionStage<?> asked, String code) {
        node.rest();
        assertThatThrownBy(() -> asked.toCompletableFuture().join())
                .hasCauseInstanceOf(Refusal.Refused.class)
                .hasMessageContaining(code);
    }

    /** Returns the shards that have the subscription. */
    private List<Integer> present() {
        List<Integer> present = new ArrayList<>();
        for (int number = 0; number < SHARDS; number++) {
            if (node.shards.get(number).doors.lookup().find("c", "s") != null) {
                present.add(number);
            }
        }
        return present;
    }

    private List<HomeRow> rows() {
        return node.rows(Scope.SUBSCRIPTION, "1|c|s");
    }

    private void refuseChangesIn(int shard, boolean refuses) {
        node.shards.get(shard).store.plan = (verb, argument) ->
                refuses && verb.equals("alter") ? FaultyStore.Fault.before(StoreFailure.Kind.REFUSED) : null;
    }

    private Subscription at(int shard) {
        return node.shards.get(shard).doors.lookup().find("c", "s");
    }

    // ---- making and deleting

    @Test
    void everyPartHasItUnderOneNameAndItsClientIsGivenThatOfTheFirst() {
        Subscription made = node.await(subscribe(null, false));
        assertThat(made.address()).isEqualTo(topic);
        assertThat(present()).containsExactly(0, 1, 2);
        assertThat(rows())
                .extracting(HomeRow::shard, HomeRow::part, HomeRow::state)
                .containsExactly(tuple(0, 0, State.HERE), tuple(1, 1, State.HERE), tuple(2, 2, State.HERE));

        refused(node.homes.catalog().unsubscribe(made), "RT-2018");
        assertThat(present()).as("while it is attended").containsExactly(0, 1, 2);
        assertThat(rows()).allSatisfy(row -> assertThat(row.state()).isEqualTo(State.HERE));
        node.homes.catalog().leave(made);
        node.await(node.homes.catalog().unsubscribe(made));
        assertThat(present()).isEmpty();
        assertThat(rows()).isEmpty();
    }

    @Test
    void aPartThatRefusesLeavesTheOthersWithoutIt() {
        for (int refusing = 0; refusing < SHARDS; refusing++) {
            refuseChangesIn(refusing, true);
            refused(subscribe(null, false), "RT-3099");
            refuseChangesIn(refusing, false);
            assertThat(present()).as("part %d refuses", refusing).isEmpty();
            assertThat(rows()).as("part %d refuses", refusing).isEmpty();
        }
        left(subscribe(null, false));
        assertThat(present()).containsExactly(0, 1, 2);
    }

    @Test
    void aReplacementThatALaterPartRefusesIsTakenBackWhereThatCanBe() {
        left(subscribe("one", false));
        refuseChangesIn(2, true);
        refused(subscribe("two", false), "RT-3099");
        assertThat(present()).as("the part that takes no changes").containsExactly(2);
        assertThat(rows()).allSatisfy(row -> assertThat(row.state()).isEqualTo(State.GOING));

        refuseChangesIn(2, false);
        left(subscribe("two", false));
        assertThat(present()).containsExactly(0, 1, 2);
        for (int part = 0; part < SHARDS; part++) {
            assertThat(at(part).selector()).isEqualTo(SteppedShard.selector("two"));
        }
    }

    @Test
    void aReplacementThatTheFirstPartRefusesLeavesTheEarlierOne() {
        left(subscribe("one", false));
        refused(subscribe("one", true), "RT-2016");
        assertThat(present()).containsExactly(0, 1, 2);
        assertThat(rows()).allSatisfy(row -> assertThat(row.state()).isEqualTo(State.HERE));
        for (int part = 0; part < SHARDS; part++) {
            assertThat(at(part).selector()).isEqualTo(SteppedShard.selector("one"));
        }
    }

    @Test
    void aSharedOneInUseIsNotReplacedInAnyPart() {
        Subscription attended = node.await(subscribe("one", true));
        refused(subscribe("two", true), "RT-2017");
        for (int part = 0; part < SHARDS; part++) {
            assertThat(at(part).selector()).isEqualTo(SteppedShard.selector("one"));
        }
        node.homes.catalog().leave(attended);
        left(subscribe("two", true));
        for (int part = 0; part < SHARDS; part++) {
            assertThat(at(part).selector()).isEqualTo(SteppedShard.selector("two"));
        }
    }

    @Test
    void aDeletionThatALaterPartRefusesIsCarriedOnByWhoeverAsksAgain() {
        left(subscribe(null, false));
        Subscription first = at(0);
        refuseChangesIn(1, true);
        refused(node.homes.catalog().unsubscribe(first), "RT-3099");
        assertThat(present()).containsExactly(1, 2);
        refuseChangesIn(1, false);
        node.await(node.homes.catalog().unsubscribe(node.homes.lookup().find("c", "s")));
        assertThat(present()).isEmpty();
        assertThat(rows()).isEmpty();
    }

    // ---- parts that are away

    @Test
    void whileAPartIsAwayNothingIsMadeOrDeletedInTheOthers() {
        left(subscribe(null, false));
        node.leave(1);
        refused(node.homes.catalog().subscribe(topic, "c", "another", null, false, true), "RT-4534");
        assertThat(node.homes.lookup().find("c", "another")).isNull();
        refused(node.homes.catalog().unsubscribe(at(0)), "RT-4533");
        assertThat(present()).containsExactly(0, 1, 2);
    }

    // ---- after a start

    @Test
    void whatAPartLacksWithoutAMarkIsMadeThere() {
        Address second = node.shards.get(1).address("news");
        node.shards
                .get(1)
                .await(node.shards
                        .get(1)
                        .doors
                        .catalog()
                        .subscribe(second, "c", "s", SteppedShard.selector("one"), true, false));
        node.shards.forEach(SteppedShard::crashAndRestart);
        node.startWhole(node.stored());
        assertThat(present()).containsExactly(0, 1, 2);
        for (int part = 0; part < SHARDS; part++) {
            assertThat(at(part).selector()).isEqualTo(SteppedShard.selector("one"));
            assertThat(at(part).noLocal()).isTrue();
        }
        assertThat(rows()).extracting(HomeRow::shard).containsExactlyInAnyOrder(0, 1, 2);
        node.await(node.homes.catalog().unsubscribe(at(0))); // nobody attends it
    }

    @Test
    void partsThatDifferKeepWhatTheyHave() {
        for (int part = 0; part < 2; part++) {
            SteppedShard shard = node.shards.get(part);
            shard.await(shard.doors
                    .catalog()
                    .subscribe(shard.address("news"), "c", "s", SteppedShard.selector("part " + part), false, false));
        }
        node.shards.forEach(SteppedShard::crashAndRestart);
        node.startWhole(node.stored());
        assertThat(present()).containsExactly(0, 1);
        assertThat(at(0).selector()).isEqualTo(SteppedShard.selector("part 0"));
        assertThat(at(1).selector()).isEqualTo(SteppedShard.selector("part 1"));
        left(subscribe("all", false));
        assertThat(present()).containsExactly(0, 1, 2);
    }

    @Test
    void aMarkOnASubscriptionThatAllPartsHaveIsTakenBack() {
        left(subscribe(null, false));
        node.stored()
                .alter(rows().stream()
                        .map(row -> HomeChange.put(row.with(State.GOING)))
                        .toList());
        node.shards.forEach(SteppedShard::crashAndRestart);
        node.startWhole(node.stored());
        assertThat(present()).containsExactly(0, 1, 2);
        assertThat(rows())
                .hasSize(SHARDS)
                .allSatisfy(row -> assertThat(row.state()).isEqualTo(State.HERE));
    }

    @Test
    void anEmptyTopicGetsThePartsThatItLacksAndItsSubscriptionsWithThem() {
        node.makeIn(1, "news.small", AddressKind.TOPIC);
        SteppedShard home = node.shards.get(1);
        home.subscribe(home.address("news.small"), "s");
        node.shards.forEach(SteppedShard::crashAndRestart);
        node.startWhole(node.stored());
        for (SteppedShard shard : node.shards) {
            assertThat(shard.address("news.small")).isNotNull();
            assertThat(shard.subscription("s")).isNotNull();
        }
    }

    @Test
    void aTopicWithMessagesKeepsThePartsThatItHas() {
        node.makeIn(1, "news.full", AddressKind.TOPIC);
        SteppedShard home = node.shards.get(1);
        home.subscribe(home.address("news.full"), "s");
        home.publish(home.address("news.full"), "stays");
        home.run();
        node.shards.forEach(SteppedShard::crashAndRestart);
        node.startWhole(node.stored());
        assertThat(node.homes.partsOf(node.homes.lookup().find("news.full"))).isNull();
        assertThat(node.shards.get(0).address("news.full")).isNull();
    }

    // ---- in memory

    @Test
    void aSharedVolatileOneIsInAllPartsAsLongAsItIsAttended() {
        Subscription first = node.await(node.homes.catalog().subscribeVolatile(topic, "c", "v", null));
        Subscription again = node.await(node.homes.catalog().subscribeVolatile(topic, "c", "v", null));
        assertThat(again).isEqualTo(first);
        for (SteppedShard shard : node.shards) {
            Subscription part = shard.doors.lookup().findVolatile("c", "v");
            assertThat(part.address().name()).isEqualTo("news");
            assertThat(ShardIds.shardOf(part.id())).isEqualTo(node.shards.indexOf(shard));
        }
        refused(node.homes.catalog().subscribeVolatile(topic, "c", "v", SteppedShard.selector("other")), "RT-2017");
        node.homes.catalog().leave(first);
        node.rest();
        assertThat(node.homes.lookup().findVolatile("c", "v")).isEqualTo(first);
        node.homes.catalog().leave(first);
        node.rest();
        for (SteppedShard shard : node.shards) {
            assertThat(shard.doors.lookup().findVolatile("c", "v")).isNull();
        }
        node.await(node.homes.catalog().subscribeVolatile(topic, "c", "v", SteppedShard.selector("other")));
    }
}
