package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.RetainedMessages;
import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionUser;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.directory.HomeRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Moves topics, as {@link MoveSimulation} does, while their durable subscriptions are made, changed, read and deleted.
 * The topics keep what was published, and some subscriptions begin in the past.
 * <p>
 * Invariants checked:
 * <ul>
 *   <li>each subscription receives once, and in order, what was accepted since its client was told of it;
 *   <li>one that begins in the past receives what was kept before, also in the old home, then what follows;
 *   <li>a subscription is in each home of its topic, alike, or in none;
 *   <li>the last number of the producer and the ids are known wherever the topic is, and so is the client's owner;
 *   <li>the old home stays until it keeps nothing. At rest the topic is in one shard with its subscriptions, and the
 *       directory says so.
 * </ul>
 */
class MoveTopicSimulationTest extends MoveSimulation {
    private static final SubscriptionUser ALICE = SubscriptionUser.of("alice");
    private static final long AGE_MS = 3_600_000;
    private static final long BYTES = 16; // eight messages

    private String client;

    MoveTopicSimulationTest() {
        super(AddressKind.TOPIC, keeping(new Retention(AGE_MS, BYTES)));
    }

    private static AddressPolicies keeping(Retention retention) {
        return new AddressPolicies(List.of(), AddressPolicy.of(3, "DLQ").keeping(retention));
    }

    @Override
    List<DirectoryFault> faults() {
        return List.of(DirectoryFault.CRASH_AFTER, DirectoryFault.ANSWER_LOST);
    }

    @Override
    void begin() {
        super.begin();
        client = "c" + name;
    }

    // ---- two nodes

    @Test
    void theOldHomeIsEmptiedAndEndsWhileTheNextOneIsAway() {
        begin();
        subscribe("all", null);
        publish(1, 2);
        int from = home();
        int to = (from + 1) % SHARDS;
        move(to);
        publish(3, 3);
        look();
        node.leave(to);
        List<String> received = new ArrayList<>();
        receive("all", node.shards.get(from), received);
        endMove();
        assertThat(word()).isEqualTo("//kept only 1"); // so consumers of the next home alone go on
        assertThat(homes()).containsExactlyInAnyOrder(from, to);
        later();
        endMove();
        assertThat(received).isEqualTo(texts(1, 2));
        assertThat(homes()).containsExactly(to);
        assertThat(rows()).containsExactly(to + " -1");
        assertThat(word()).isEmpty();
        assertThat(rowsOf("all")).containsExactly(to);
        node.shards.forEach(SteppedShard::crashAndRestart);
        start();
        receive("all", received);
        assertThat(received).isEqualTo(texts(1, 3));
    }

    @Test
    void aNextHomeThatNeverGotTheTopicTakesTheMoveBack() {
        begin();
        subscribe("all", null);
        int from = home();
        calls.fail(0, DirectoryFault.CRASH_AFTER); // the row names the next shard
        try {
            move((from + 1) % SHARDS);
        } catch (FaultyStore.Crash crash) {
            calls.failNone();
        }
        node.shards.forEach(SteppedShard::crashAndRestart);
        node.start(store);
        node.leave(from);
        endMove();
        assertThat(rows()).containsExactly(from + " -1");
        node.shards.forEach(SteppedShard::crashAndRestart);
        start();
        publish(1, 2);
        List<String> received = new ArrayList<>();
        receive("all", received);
        assertThat(received).isEqualTo(texts(1, 2));
        assertThat(homes()).containsExactly(from);
    }

    // ---- what is kept

    @Test
    void theNextHomeWaitsForAReplayThatHasNothingReady() {
        begin();
        publish(1, 2);
        SteppedShard old = node.shards.get(home());
        move((home() + 1) % SHARDS);
        publish(3, 3);
        FaultyStore.Plan others = old.store.plan;
        old.store.plan = (verb, copies) -> verb.equals("flush")
                ? FaultyStore.Fault.before(StoreFailure.Kind.NOT_WRITABLE)
                : others.of(verb, copies);
        subscribe("past", null, Instant.EPOCH);
        Reader reader = attach(lookup(home()).find(client, "past"));
        look();
        look();
        assertThat(reader.texts()).isEmpty();
        old.store.plan = others;
        old.now += 1_000; // so it tries again
        node.rest();
        reader.acceptAll();
        node.rest();
        look();
        assertThat(reader.texts()).isEqualTo(texts(1, 3));
    }

    /** Attaches to all parts of a subscription, as a link does. */
    private Reader attach(Subscription part) {
        Reader reader = new Reader(null, part, null);
        reader.through = node.homes.dispatcherOf(part, node.homes.homeOf(part.address()));
        reader.through.attach(reader, part);
        reader.credit(1_000);
        node.rest();
        return reader;
    }

    @Test
    void theOldHomeKeepsNoMoreThanTheNextOneLeavesOfTheBoundInBytes() {
        begin();
        publish(1, 8);
        int from = home();
        int to = (from + 1) % SHARDS;
        move(to);
        assertThat(kept(from, to)).isEqualTo("8 0");
        publish(9, 9);
        lookAndLetGo();
        assertThat(kept(from, to)).isEqualTo("7 1");
        node.shards.forEach(SteppedShard::crashAndRestart);
        start();
        lookAndLetGo();
        assertThat(word()).isEqualTo("//kept only 1");
        publish(10, 11); // of three bytes each
        lookAndLetGo();
        assertThat(kept(from, to)).isEqualTo("4 3");
        node.leave(from); // another node has the old home from here on
        publish(12, 14);
        lookAndLetGo();
        assertThat(word()).isEqualTo("//kept only 8");
        node.shards.forEach(SteppedShard::crashAndRestart);
        start();
        lookAndLetGo();
        endMove();
        assertThat(homes()).containsExactly(to);
        assertThat(rows()).containsExactly(to + " -1");
    }

    @Test
    void theMoveEndsWhenThePolicyKeepsNothingAnyMore() {
        begin();
        publish(1, 2);
        int to = (home() + 1) % SHARDS;
        move(to);
        endMove();
        assertThat(homes()).hasSize(2);
        keep(Retention.NONE);
        endMove();
        assertThat(homes()).containsExactly(to);
        assertThat(lookup(to).retained(address())).isNull();
    }

    private void keep(Retention retention) {
        for (SteppedShard shard : node.shards) {
            shard.policies = keeping(retention);
            shard.committer.policiesChanged();
        }
        settleKept();
    }

    /** Lets what is kept become too old. */
    private void later() {
        node.shards.forEach(shard -> shard.now += AGE_MS);
        settleKept();
    }

    private void lookAndLetGo() {
        look(); // the next home says in the row what it uses
        look(); // the old home hears of that
        settleKept();
    }

    /** Lets each shard look at what it keeps. */
    private void settleKept() {
        node.shards.forEach(shard -> shard.now += 1_000);
        node.rest();
    }

    private String kept(int from, int to) {
        return messages(from) + " " + messages(to);
    }

    private long messages(int shard) {
        RetainedMessages kept = lookup(shard).retained(lookup(shard).find(name));
        return kept.messages();
    }

    private String word() {
        return node.rows(HomeRow.Scope.ADDRESS, name).get(0).owner();
    }

    // ---- one run

    @Override
    int run(int call, DirectoryFault fault, boolean twice) {
        String run = described(call, fault, twice);
        begin();
        List<String> all = new ArrayList<>();
        List<String> late = new ArrayList<>();
        List<String> past = new ArrayList<>();
        List<Step> steps = steps(all, late, past);
        calls.fail(call, fault);
        for (Step step : steps) {
            take(step, run + ": " + step.text(), twice);
            assertThat(subscriptionsAreAlike()).as(run + ": " + step.text()).isTrue();
        }
        int made = calls.made();
        calls.failNone();
        receive("all", all);
        receive("late", late);
        receive("past", past);
        later();
        endMove();
        assertThat(all).as(run).isEqualTo(texts(1, 5));
        assertThat(late).as(run).isEqualTo(texts(4, 5));
        assertThat(past).as(run).isEqualTo(texts(1, 5));
        assertThat(homes()).as(run).hasSize(1);
        int home = homes().get(0);
        assertThat(rows()).as(run).containsExactly(home + " -1");
        assertThat(described(home))
                .as(run)
                .isEqualTo(Set.of(
                        "$retention null",
                        "all null",
                        "changed " + SteppedShard.selector("x"),
                        "late null",
                        "past null"));
        for (String subscription : List.of("all", "changed", "late", "past")) {
            assertThat(rowsOf(subscription)).as(run + ": " + subscription).containsExactly(home);
        }
        assertThat(rowsOf("gone")).as(run).isEmpty();
        assertThat(lookup(home).ownerOf(client)).as(run).isEqualTo("alice");
        if (fault == DirectoryFault.NONE) {
            assertThat(IntStream.range(0, SHARDS)
                            .filter(number -> lookup(number).ownerOf(client) != null))
                    .as(run)
                    .hasSize(1);
        }
        assertThat(lastNumber()).as(run).isEqualTo(5);
        publishWithId(5); // which is known
        receive("all", late);
        assertThat(late).as(run).hasSize(2);
        node.await(node.homes.catalog().deleteStored(address(), true));
        return made;
    }

    private List<Step> steps(List<String> all, List<String> late, List<String> past) {
        int[] from = {home()};
        List<Step> steps = new ArrayList<>();
        steps.add(new Step("subscribe", () -> subscribe("all", null)));
        steps.add(new Step("subscribe another", () -> subscribe("changed", null)));
        steps.add(new Step("subscribe a third", () -> subscribe("gone", null)));
        steps.add(new Step("publish", () -> publish(1, 2)));
        steps.add(new Step("move", () -> move((from[0] + 1) % SHARDS)));
        steps.add(new Step("publish to the next home", () -> publish(3, 3)));
        steps.add(new Step("subscribe meanwhile", () -> subscribe("late", null)));
        steps.add(new Step("subscribe from the past", () -> subscribe("past", null, Instant.EPOCH)));
        steps.add(new Step("change a selector", () -> subscribe("changed", SteppedShard.selector("x"))));
        steps.add(new Step("unsubscribe", () -> unsubscribe("gone")));
        steps.add(new Step("publish again", () -> publish(4, 4)));
        steps.add(new Step("look", this::look));
        steps.add(new Step("receive what is left", () -> receive("all", all)));
        steps.add(new Step("receive what was kept", () -> receive("past", past)));
        steps.add(new Step("look at what is only kept", this::look));
        steps.add(new Step("let what is kept go", this::later));
        steps.add(new Step("end the move", this::endMove));
        steps.add(new Step("move on", () -> move((from[0] + 2) % SHARDS)));
        steps.add(new Step("publish there", () -> publish(5, 5)));
        steps.add(new Step("receive", () -> receive("late", late)));
        steps.add(new Step("look again", this::look));
        return steps;
    }

    // ---- what clients do

    private void subscribe(String subscription, Selector selector) {
        subscribe(subscription, selector, null);
    }

    private void subscribe(String subscription, Selector selector, Instant since) {
        Subscription made = node.await(
                node.homes.catalog().subscribe(ALICE, address(), client, subscription, selector, false, true, since));
        node.homes.catalog().leave(made);
        node.rest();
    }

    private void unsubscribe(String subscription) {
        Subscription existing = node.homes.lookup().find(client, subscription);
        if (existing != null) {
            node.await(node.homes.catalog().unsubscribe(ALICE, existing));
        }
    }

    /** Receives all that a subscription owes, from the old home first. */
    private void receive(String subscription, List<String> received) {
        oldHomeFirst().forEach(shard -> receive(subscription, shard, received));
    }

    private void receive(String subscription, SteppedShard shard, List<String> received) {
        Subscription part = shard.doors.lookup().find(client, subscription);
        if (part != null) {
            receive(shard, part, received);
        }
    }

    // ---- what there is

    private boolean subscriptionsAreAlike() {
        return homes().stream().map(this::described).distinct().count() == 1;
    }

    private Set<String> described(int shard) {
        return lookup(shard).subscriptionsOf(lookup(shard).find(name)).stream()
                .map(each -> each.name() + " " + each.selector())
                .collect(Collectors.toSet());
    }

    private List<Integer> rowsOf(String subscription) {
        return node.rows(HomeRow.Scope.SUBSCRIPTION, client.length() + "|" + client + "|" + subscription).stream()
                .map(HomeRow::shard)
                .toList();
    }
}
