package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.dispatch.AddressMove;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.store.directory.HomeRow;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Moves queues, as {@link MoveSimulation} does.
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
class MoveSimulationTest extends MoveSimulation {
    private static final int MESSAGES = 4; // before a move, and again while it is under way

    MoveSimulationTest() {
        super(AddressKind.QUEUE, SteppedSettings.PLAIN);
    }

    @Override
    List<DirectoryFault> faults() {
        return List.of(
                DirectoryFault.CRASH_BEFORE,
                DirectoryFault.CRASH_AFTER,
                DirectoryFault.ANSWER_LOST,
                DirectoryFault.FAILS);
    }

    // ---- two nodes

    @Test
    void theOldHomeIsEmptiedAndEndsWhileTheNextOneIsAway() {
        moveNow();
        int to = node.homes.moveOf(name).to();
        node.leave(to);
        assertThat(receive()).hasSize(MESSAGES);
        endMove();
        assertThat(rows()).containsExactly(to + " -1");
        assertThat(homes()).containsExactly(to);
    }

    @Test
    void aNextHomeThatNeverGotTheQueueTakesTheMoveBack() {
        begin();
        publish(1, MESSAGES);
        int from = home();
        int to = (from + 1) % SHARDS;
        calls.fail(0, DirectoryFault.CRASH_AFTER); // the row names the next shard
        assertThatThrownBy(() -> move(to)).isInstanceOf(FaultyStore.Crash.class);
        calls.failNone();
        node.shards.forEach(SteppedShard::crashAndRestart);
        node.start(store);
        node.leave(from);
        endMove();
        assertThat(rows()).containsExactly(from + " -1");
        node.shards.forEach(SteppedShard::crashAndRestart);
        start();
        publish(MESSAGES + 1, 2 * MESSAGES);
        assertThat(homes()).containsExactly(from);
    }

    @Test
    void theOldHomeStaysClosedWhenItsShardComesBack() {
        moveNow();
        int from = node.homes.moveOf(name).from();
        node.shards.get(from).crashAndRestart();
        assertThat(lookup(from).find(name).quota().isClosed()).isFalse();
        node.await(node.homes.settle());
        assertThat(lookup(from).find(name).quota().isClosed()).isTrue();
        publish(MESSAGES + 1, 2 * MESSAGES);
        assertThat(receive()).hasSize(2 * MESSAGES);
        endMove();
        assertThat(homes()).hasSize(1);
    }

    @Test
    void whatAnotherNodeHasEndedEndsHere() {
        moveNow();
        AddressMove move = node.homes.moveOf(name);
        HomeRow row = node.rows(HomeRow.Scope.ADDRESS, name).get(0);
        node.await(node.shards
                .get(move.from())
                .doors
                .catalog()
                .deleteStored(lookup(move.from()).find(name), true));
        assertThat(row.state()).isEqualTo(HomeRow.State.GOING);
        look();
        assertThat(node.homes.moveOf(name)).isNull();
        assertThat(rows()).containsExactly(move.to() + " -1");
    }

    /** Publishes, and begins to move. */
    private void moveNow() {
        begin();
        publish(1, MESSAGES);
        move((home() + 1) % SHARDS);
    }

    // ---- one run

    @Override
    int run(int call, DirectoryFault fault, boolean twice) {
        String run = described(call, fault, twice);
        List<String> received = new ArrayList<>();
        calls.fail(call, fault);
        for (Step step : steps(received)) {
            take(step, run + ": " + step.text(), twice);
        }
        int made = calls.made();
        calls.failNone();
        endMove();
        received.addAll(receive());
        endMove();
        assertThat(received).as(run).isEqualTo(texts(1, 3 * MESSAGES));
        assertThat(homes()).as(run).hasSize(1);
        assertThat(rows()).as(run).containsExactly(homes().get(0) + " -1");
        for (int number = 1; number <= 3 * MESSAGES; number++) {
            publishWithId(number); // all are known
        }
        assertThat(lastNumber()).as(run).isEqualTo(3 * MESSAGES);
        assertThat(receive()).as(run).isEmpty();
        node.await(node.homes.catalog().deleteStored(address(), true));
        return made;
    }

    private List<Step> steps(List<String> received) {
        int[] from = new int[1];
        name = null;
        List<Step> steps = new ArrayList<>();
        steps.add(new Step("create", () -> {
            if (name == null) {
                begin();
            } else {
                ensure();
            }
            from[0] = home();
        }));
        steps.add(new Step("publish", () -> publish(1, MESSAGES)));
        steps.add(new Step("move", () -> move((from[0] + 1) % SHARDS)));
        steps.add(new Step("publish to the next home", () -> publish(MESSAGES + 1, 2 * MESSAGES)));
        steps.add(new Step("look", this::look));
        steps.add(new Step("receive what is left", () -> receive(received)));
        steps.add(new Step("end the move", this::endMove));
        steps.add(new Step("move on", () -> move((from[0] + 2) % SHARDS)));
        steps.add(new Step("publish there", () -> publish(2 * MESSAGES + 1, 3 * MESSAGES)));
        steps.add(new Step("look again", this::look));
        return steps;
    }

    private List<String> receive() {
        List<String> received = new ArrayList<>();
        receive(received);
        return received;
    }

    /** Receives all there is, from the old home first. */
    private void receive(List<String> received) {
        for (SteppedShard shard : oldHomeFirst()) {
            Address part = shard.doors.lookup().find(name);
            if (part != null) {
                receive(shard, shard.doors.lookup().readerOf(part), received);
            }
        }
    }
}
