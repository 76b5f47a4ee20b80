package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.dispatch.AddressMove;
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
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Moves queues between three shards on real files, stepped by one thread, while a numbered producer and one with
 * duplicate ids publish. The process dies before and after each call to a shard or the directory. It dies again after
 * the first call of the start that follows.
 * <p>
 * Invariants checked:
 * <ul>
 *   <li>a message that was accepted, or that was sent again after a crash, is received once;
 *   <li>messages of a publisher are received in their order, the old home's first;
 *   <li>the last number of the producer and the ids are known wherever the queue is;
 *   <li>a move goes on after each start, and ends once the old home owes nothing;
 *   <li>at rest the queue is in one shard, and the directory names that one.
 * </ul>
 */
class MoveSimulationTest {
    private static final int SHARDS = 3;
    private static final int MESSAGES = 4; // before a move, and again while it is under way

    @TempDir
    Path files;

    private final CallCount calls = new CallCount();
    private SteppedHomes node;
    private FaultyDirectory store;
    private int runs;

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
    void whateverCallIsTheLastNothingIsLostOrDoubled() {
        int all = run(-1, DirectoryFault.NONE, false);
        assertThat(all).isGreaterThan(15);
        for (DirectoryFault fault : List.of(
                DirectoryFault.CRASH_BEFORE,
                DirectoryFault.CRASH_AFTER,
                DirectoryFault.ANSWER_LOST,
                DirectoryFault.FAILS)) {
            for (int call = 0; call < all; call++) {
                run(call, fault, false);
            }
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
        String queue = begun();
        int to = node.homes.moveOf(queue).to();
        node.leave(to);
        List<String> received = new ArrayList<>();
        receive(queue, received);
        endMove(queue);
        assertThat(received).hasSize(MESSAGES);
        assertThat(rows(queue)).containsExactly(to + " -1");
        assertThat(homes(queue)).containsExactly(to);
    }

    @Test
    void aNextHomeThatNeverGotTheQueueTakesTheMoveBack() {
        String queue = "q" + ++runs;
        node.await(node.homes.catalog().ensure(queue, AddressKind.QUEUE));
        publish(queue, 1, MESSAGES);
        int from = home(queue);
        int to = (from + 1) % SHARDS;
        calls.fail(0, DirectoryFault.CRASH_AFTER); // the row names the next shard
        assertThatThrownBy(() -> move(queue, to)).isInstanceOf(FaultyStore.Crash.class);
        calls.failNone();
        node.shards.forEach(SteppedShard::crashAndRestart);
        node.start(store);
        node.leave(from);
        endMove(queue);
        assertThat(rows(queue)).containsExactly(from + " -1");
        node.shards.forEach(SteppedShard::crashAndRestart);
        start();
        publish(queue, MESSAGES + 1, 2 * MESSAGES);
        assertThat(homes(queue)).containsExactly(from);
    }

    @Test
    void theOldHomeStaysClosedWhenItsShardComesBack() {
        String queue = begun();
        int from = node.homes.moveOf(queue).from();
        node.shards.get(from).crashAndRestart();
        assertThat(node.shards.get(from).doors.lookup().find(queue).quota().isClosed())
                .isFalse();
        node.await(node.homes.settle());
        assertThat(node.shards.get(from).doors.lookup().find(queue).quota().isClosed())
                .isTrue();
        publish(queue, MESSAGES + 1, 2 * MESSAGES);
        List<String> received = new ArrayList<>();
        receive(queue, received);
        endMove(queue);
        assertThat(received).hasSize(2 * MESSAGES);
        assertThat(homes(queue)).hasSize(1);
    }

    @Test
    void whatAnotherNodeHasEndedEndsHere() {
        String queue = begun();
        AddressMove move = node.homes.moveOf(queue);
        HomeRow row = node.rows(HomeRow.Scope.ADDRESS, queue).get(0);
        node.await(node.shards
                .get(move.from())
                .doors
                .catalog()
                .deleteStored(node.shards.get(move.from()).doors.lookup().find(queue), true));
        assertThat(row.state()).isEqualTo(HomeRow.State.GOING);
        look();
        assertThat(node.homes.moveOf(queue)).isNull();
        assertThat(rows(queue)).containsExactly(move.to() + " -1");
    }

    /** Publishes, and begins to move. @return the queue */
    private String begun() {
        String queue = "q" + ++runs;
        node.await(node.homes.catalog().ensure(queue, AddressKind.QUEUE));
        publish(queue, 1, MESSAGES);
        move(queue, (home(queue) + 1) % SHARDS);
        return queue;
    }

    // ---- one run

    /** One thing that a client or the mover does; done again after a crash, it is done if it is done already. */
    private record Step(String text, Runnable action) {}

    /** @return how many calls there were */
    private int run(int call, DirectoryFault fault, boolean twice) {
        String run = "call " + call + " " + fault + (twice ? " and another crash" : "");
        String queue = "q" + ++runs;
        List<String> received = new ArrayList<>();
        calls.fail(call, fault);
        for (Step step : steps(queue, received)) {
            take(step, run + ": " + step.text(), twice);
        }
        int made = calls.made();
        calls.failNone();
        endMove(queue);
        receive(queue, received);
        endMove(queue);
        assertThat(received)
                .as(run)
                .isEqualTo(IntStream.rangeClosed(1, 3 * MESSAGES)
                        .mapToObj(number -> "m" + number)
                        .toList());
        assertThat(homes(queue)).as(run).hasSize(1);
        assertThat(rows(queue)).as(run).containsExactly(homes(queue).get(0) + " -1");
        for (int number = 1; number <= 3 * MESSAGES; number++) {
            publishWithId(queue, number); // all are known
        }
        assertThat(last(queue)).as(run).isEqualTo(3 * MESSAGES);
        List<String> again = new ArrayList<>();
        receive(queue, again);
        assertThat(again).as(run).isEmpty();
        node.await(node.homes.catalog().deleteStored(node.homes.lookup().find(queue), true));
        return made;
    }

    private List<Step> steps(String queue, List<String> received) {
        int[] from = new int[1];
        List<Step> steps = new ArrayList<>();
        steps.add(new Step("create", () -> {
            node.await(node.homes.catalog().ensure(queue, AddressKind.QUEUE));
            from[0] = home(queue);
        }));
        steps.add(new Step("publish", () -> publish(queue, 1, MESSAGES)));
        steps.add(new Step("move", () -> move(queue, (from[0] + 1) % SHARDS)));
        steps.add(new Step("publish to the next home", () -> publish(queue, MESSAGES + 1, 2 * MESSAGES)));
        steps.add(new Step("look", () -> look()));
        steps.add(new Step("receive what is left", () -> receive(queue, received)));
        steps.add(new Step("end the move", () -> endMove(queue)));
        steps.add(new Step("move on", () -> move(queue, (from[0] + 2) % SHARDS)));
        steps.add(new Step("publish there", () -> publish(queue, 2 * MESSAGES + 1, 3 * MESSAGES)));
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

    private void move(String queue, int to) {
        Address address = node.homes.lookup().find(queue);
        if (node.homes.moveOf(queue) == null && ShardIds.shardOf(address.id()) != to) {
            node.await(node.homes.catalog().move(address, to, false).exceptionally(refused -> null));
        }
        if (node.homes.moveOf(queue) == null && home(queue) != to) { // the directory did not take it
            node.await(node.homes.catalog().move(node.homes.lookup().find(queue), to, false));
        }
        assertThat(home(queue)).isEqualTo(to);
    }

    private void look() {
        node.homes.lookAtMoves();
        node.rest();
    }

    private void endMove(String queue) {
        for (int looks = 0; node.homes.moveOf(queue) != null && looks < 5; looks++) {
            look();
            if (owed(queue) > 0) {
                return;
            }
        }
    }

    private long owed(String queue) {
        return node.shards.stream()
                .mapToLong(shard -> {
                    Address part = shard.doors.lookup().find(queue);
                    return part == null
                            ? 0
                            : shard.doors.lookup().owedBy(shard.doors.lookup().readerOf(part));
                })
                .sum();
    }

    private int home(String queue) {
        return ShardIds.shardOf(node.homes.lookup().find(queue).id());
    }

    private SteppedShard shardOf(Address address) {
        return node.shards.get(ShardIds.shardOf(address.id()));
    }

    private Producer attend(Address address) {
        return shardOf(address).attend(address, "p", 0, () -> {});
    }

    private long last(String queue) {
        return attend(node.homes.lookup().find(queue)).lastNumber();
    }

    /** Publishes as the SDK does, which asks for the last number before it sends again. */
    private void publish(String queue, int first, int last) {
        for (int number = first; number <= last; number++) {
            Address address = node.homes.lookup().find(queue);
            Producer producer = attend(address);
            if (producer.lastNumber() < number) {
                submit(address, number, new Deduplication(producer, number, number - 1, List.of(id(number))));
            }
        }
    }

    private void publishWithId(String queue, int number) {
        submit(node.homes.lookup().find(queue), number, Deduplication.ids(List.of(id(number))));
    }

    private void submit(Address address, int number, Deduplication once) {
        SteppedShard shard = shardOf(address);
        Outcome outcome = shard.submit(once, shard.message(address, SteppedShard.bytes("m" + number)));
        node.rest();
        assertThat(outcome.refusal).isNull();
        assertThat(outcome.accepted).isTrue();
    }

    private static DuplicateId id(int number) {
        return DuplicateId.stored(("id " + number).getBytes(StandardCharsets.UTF_8));
    }

    /** Receives all there is, from the old home first. A crash leaves the rest to the next call. */
    private void receive(String queue, List<String> received) {
        List<SteppedShard> all = new ArrayList<>(node.shards);
        if (node.homes.moveOf(queue) != null) {
            SteppedShard old = node.shards.get(node.homes.moveOf(queue).from());
            all.remove(old);
            all.add(0, old);
        }
        for (SteppedShard shard : all) {
            Address part = shard.doors.lookup().find(queue);
            if (part != null) {
                Reader reader = shard.attach(shard.doors.lookup().readerOf(part), 1_000);
                node.rest();
                received.addAll(reader.texts());
                reader.acceptAll();
                node.rest();
                reader.detach(false);
                node.rest();
            }
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

    private List<Integer> homes(String queue) {
        return IntStream.range(0, SHARDS)
                .filter(number -> node.shards.get(number).doors.lookup().find(queue) != null)
                .boxed()
                .toList();
    }

    private List<String> rows(String queue) {
        return node.rows(HomeRow.Scope.ADDRESS, queue).stream()
                .map(row -> row.shard() + " " + row.next())
                .toList();
    }
}
