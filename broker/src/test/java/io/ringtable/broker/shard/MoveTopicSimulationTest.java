package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionUser;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.directory.HomeRow;
import io.ringtable.broker.work.Deduplication;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Moves topics between three shards on real files, stepped by one thread, while their durable subscriptions are made,
 * changed, read and deleted. The process dies after each call to a shard or the directory, and again after the first
 * call of the start that follows. Or an answer is lost, or a call of the directory comes late.
 * <p>
 * Invariants checked:
 * <ul>
 *   <li>each subscription receives once, and in order, what was accepted since its client was told of it;
 *   <li>a subscription is in each home of its topic, alike, or in none;
 *   <li>the last number of the producer and the ids are known wherever the topic is, and so is the client's owner;
 *   <li>at rest the topic is in one shard with its subscriptions, and the directory says so.
 * </ul>
 */
class MoveTopicSimulationTest {
    private static final int SHARDS = 3;
    private static final SubscriptionUser ALICE = SubscriptionUser.of("alice");

    @TempDir
    Path files;

    private final CallCount calls = new CallCount();
    private SteppedHomes node;
    private FaultyDirectory store;
    private int runs;
    private String topic; // of this run
    private String client;

    @BeforeEach
    void open() {
        node = new SteppedHomes(files, SHARDS);
        store = new FaultyDirectory(node.stored(), calls);
        start();
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void whateverCallIsTheLastNoSubscriptionLosesOrDoublesAnything() {
        int all = run(-1, DirectoryFault.NONE, false);
        assertThat(all).isGreaterThan(25);
        for (int call = 0; call < all; call++) {
            run(call, DirectoryFault.CRASH_AFTER, false);
            run(call, DirectoryFault.ANSWER_LOST, false);
        }
    }

    @Test
    void aSecondCrashInTheStartThatFollowsDoesNoHarm() {
        int all = run(-1, DirectoryFault.NONE, false);
        for (int call = 0; call < all; call++) {
            run(call, DirectoryFault.CRASH_AFTER, true);
        }
    }

    @Test
    void aCallOfTheDirectoryThatComesAfterAnotherOwnerHasBeenAtWorkDoesNoHarm() {
        int all = run(-1, DirectoryFault.NONE, false);
        for (int call = 0; call < all; call++) {
            run(call, DirectoryFault.LATE, false);
        }
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
        node.leave(to);
        List<String> received = new ArrayList<>();
        receive("all", node.shards.get(from), received);
        endMove();
        assertThat(received).isEqualTo(texts(1, 2));
        assertThat(homes()).containsExactly(to);
        assertThat(rows()).containsExactly(to + " -1");
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

    // ---- one run

    /** One thing that a client or the mover does; done again after a crash, it is done if it is done already. */
    private record Step(String text, Runnable action) {}

    private void begin() {
        topic = "t" + ++runs;
        client = "c" + runs;
        node.await(node.homes.catalog().ensure(topic, AddressKind.TOPIC));
    }

    /** @return how many calls there were */
    private int run(int call, DirectoryFault fault, boolean twice) {
        String run = "call " + call + " " + fault + (twice ? " and another crash" : "");
        begin();
        List<String> all = new ArrayList<>();
        List<String> late = new ArrayList<>();
        List<Step> steps = steps(all, late);
        calls.fail(call, fault);
        for (Step step : steps) {
            take(step, run + ": " + step.text(), twice);
            assertThat(subscriptionsAreAlike()).as(run + ": " + step.text()).isTrue();
        }
        int made = calls.made();
        calls.failNone();
        endMove();
        receive("all", all);
        receive("late", late);
        endMove();
        assertThat(all).as(run).isEqualTo(texts(1, 5));
        assertThat(late).as(run).isEqualTo(texts(4, 5));
        assertThat(homes()).as(run).hasSize(1);
        int home = homes().get(0);
        assertThat(rows()).as(run).containsExactly(home + " -1");
        assertThat(described(home))
                .as(run)
                .isEqualTo(Set.of("all null", "changed " + SteppedShard.selector("x"), "late null"));
        for (String name : List.of("all", "changed", "late")) {
            assertThat(rowsOf(name)).as(run + ": " + name).containsExactly(home);
        }
        assertThat(rowsOf("gone")).as(run).isEmpty();
        assertThat(lookup(home).ownerOf(client)).as(run).isEqualTo("alice");
        if (fault == DirectoryFault.NONE) {
            assertThat(IntStream.range(0, SHARDS)
                            .filter(number -> lookup(number).ownerOf(client) != null))
                    .as(run)
                    .hasSize(1);
        }
        Address address = node.homes.lookup().find(topic);
        assertThat(attend(address).lastNumber()).as(run).isEqualTo(5);
        submit(address, Deduplication.ids(List.of(id(5))), 5); // which is known
        receive("all", late);
        assertThat(late).as(run).hasSize(2);
        node.await(node.homes.catalog().deleteStored(address, true));
        return made;
    }

    private List<Step> steps(List<String> all, List<String> late) {
        int[] from = {home()};
        List<Step> steps = new ArrayList<>();
        steps.add(new Step("subscribe", () -> subscribe("all", null)));
        steps.add(new Step("subscribe another", () -> subscribe("changed", null)));
        steps.add(new Step("subscribe a third", () -> subscribe("gone", null)));
        steps.add(new Step("publish", () -> publish(1, 2)));
        steps.add(new Step("move", () -> move((from[0] + 1) % SHARDS)));
        steps.add(new Step("publish to the next home", () -> publish(3, 3)));
        steps.add(new Step("subscribe meanwhile", () -> subscribe("late", null)));
        steps.add(new Step("change a selector", () -> subscribe("changed", SteppedShard.selector("x"))));
        steps.add(new Step("unsubscribe", () -> unsubscribe("gone")));
        steps.add(new Step("publish again", () -> publish(4, 4)));
        steps.add(new Step("look", () -> look()));
        steps.add(new Step("receive what is left", () -> receive("all", all)));
        steps.add(new Step("end the move", () -> endMove()));
        steps.add(new Step("move on", () -> move((from[0] + 2) % SHARDS)));
        steps.add(new Step("publish there", () -> publish(5, 5)));
        steps.add(new Step("receive", () -> receive("late", late)));
        steps.add(new Step("look again", () -> look()));
        return steps;
    }

    private void take(Step step, String what, boolean twice) {
        for (int tries = 0; ; tries++) {
            try {
                step.action().run();
                return;
            } catch (FaultyStore.Crash crash) {
                assertThat(tries).as(what).isZero();
                restart(twice);
                store.arrive();
            }
        }
    }

    // ---- what clients and the mover do

    private void subscribe(String name, Selector selector) {
        Subscription made = node.await(node.homes
                .catalog()
                .subscribe(ALICE, node.homes.lookup().find(topic), client, name, selector, false, true, null));
        node.homes.catalog().leave(made);
        node.rest();
    }

    private void unsubscribe(String name) {
        Subscription existing = node.homes.lookup().find(client, name);
        if (existing != null) {
            node.await(node.homes.catalog().unsubscribe(ALICE, existing));
        }
    }

    private void move(int to) {
        for (int tries = 0; tries < 2 && node.homes.moveOf(topic) == null && home() != to; tries++) {
            node.await(node.homes
                    .catalog()
                    .move(node.homes.lookup().find(topic), to, false)
                    .exceptionally(refused -> null)); // the directory did not take it
        }
        assertThat(home()).isEqualTo(to);
    }

    private void look() {
        node.homes.lookAtMoves();
        node.rest();
    }

    private void endMove() {
        for (int looks = 0; node.homes.moveOf(topic) != null && looks < 5; looks++) {
            look();
        }
    }

    private int home() {
        return ShardIds.shardOf(node.homes.lookup().find(topic).id());
    }

    private SteppedShard shardOf(Address address) {
        return node.shards.get(ShardIds.shardOf(address.id()));
    }

    private Producer attend(Address address) {
        return shardOf(address).attend(address, "p", 0, () -> {});
    }

    /** Publishes as the SDK does, which asks for the last number before it sends again. */
    private void publish(int first, int last) {
        for (int number = first; number <= last; number++) {
            Address address = node.homes.lookup().find(topic);
            Producer producer = attend(address);
            if (producer.lastNumber() < number) {
                submit(address, new Deduplication(producer, number, number - 1, List.of(id(number))), number);
            }
        }
    }

    private void submit(Address address, Deduplication once, int number) {
        SteppedShard shard = shardOf(address);
        Outcome outcome = shard.submit(once, shard.message(address, SteppedShard.bytes("m" + number)));
        node.rest();
        assertThat(outcome.refusal).isNull();
        assertThat(outcome.accepted).isTrue();
    }

    private static DuplicateId id(int number) {
        return DuplicateId.stored(("id " + number).getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> texts(int first, int last) {
        return IntStream.rangeClosed(first, last)
                .mapToObj(number -> "m" + number)
                .toList();
    }

    /** Receives all that a subscription owes, from the old home first. A crash leaves the rest to the next call. */
    private void receive(String name, List<String> received) {
        List<SteppedShard> all = new ArrayList<>(node.shards);
        if (node.homes.moveOf(topic) != null) {
            SteppedShard old = node.shards.get(node.homes.moveOf(topic).from());
            all.remove(old);
            all.add(0, old);
        }
        all.forEach(shard -> receive(name, shard, received));
    }

    private void receive(String name, SteppedShard shard, List<String> received) {
        Subscription part = shard.doors.lookup().find(client, name);
        if (part != null) {
            Reader reader = shard.attach(part, 1_000);
            node.rest();
            received.addAll(reader.texts());
            reader.acceptAll();
            node.rest();
            reader.detach(false);
            node.rest();
        }
    }

    // ---- starts

    private void restart(boolean twice) {
        calls.fail(twice ? 0 : -1, DirectoryFault.CRASH_AFTER);
        try {
            node.shards.forEach(SteppedShard::crashAndRestart);
            start();
        } catch (FaultyStore.Crash again) {
            calls.failNone();
            node.shards.forEach(SteppedShard::crashAndRestart);
            start();
        }
        calls.failNone();
    }

    /** As a node starts that has taken all shards. */
    private void start() {
        for (SteppedShard shard : node.shards) {
            shard.store.plan =
                    (verb, argument) -> verb.equals("alter") ? calls.next().ofShard() : null;
        }
        node.startWhole(store);
    }

    // ---- what there is

    private CatalogLookup lookup(int shard) {
        return node.shards.get(shard).doors.lookup();
    }

    private List<Integer> homes() {
        return IntStream.range(0, SHARDS)
                .filter(number -> lookup(number).find(topic) != null)
                .boxed()
                .toList();
    }

    private boolean subscriptionsAreAlike() {
        return homes().stream().map(this::described).distinct().count() == 1;
    }

    private Set<String> described(int shard) {
        return lookup(shard).subscriptionsOf(lookup(shard).find(topic)).stream()
                .map(each -> each.name() + " " + each.selector())
                .collect(Collectors.toSet());
    }

    private List<String> rows() {
        return node.rows(HomeRow.Scope.ADDRESS, topic).stream()
                .map(row -> row.shard() + " " + row.next())
                .toList();
    }

    private List<Integer> rowsOf(String subscription) {
        return node.rows(HomeRow.Scope.SUBSCRIPTION, client.length() + "|" + client + "|" + subscription).stream()
                .map(HomeRow::shard)
                .toList();
    }
}
