package io.ringtable.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.dispatch.AddressMove;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nodes that come, die and go on, on a model of directory and leases. Each has a view that is a beat old. Invariants
 * checked: one shard at a time is handed over, and to the node that accepted it. At the end each shard has an owner,
 * and no two nodes differ by more than one.
 * <p>Longer than others, because one model serves all that is asked of it.
 */
class HandoversTest {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final long BEAT = TimeUnit.SECONDS.toNanos(2);
    private static final long STEP = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int SHARDS = 7;

    private final Random random = new Random(1);
    private final Row row = new Row();
    private final Map<String, Node> nodes = new TreeMap<>(); // that live
    private final Map<Integer, String> owners = new HashMap<>(); // of shards whose lease runs
    private final Map<Integer, Long> ends = new HashMap<>(); // of the leases of nodes that have died
    private final List<Integer> resigned = new ArrayList<>(); // to nobody in particular yet
    private Map<Integer, String> seen = Map.of(); // owners as all nodes have seen them last
    private List<String> seenNodes = List.of();
    private long now;
    private int handed;
    private String dying; // dies once it is given a shard; null = no node does
    private final AtomicInteger came = new AtomicInteger(); // shards that were brought

    /** The one row of the directory that handovers are about, changed by the version of it alone. */
    private static final class Row implements DirectoryStore {
        private HomeRow row;
        private long version;
        private boolean isAway;

        @Override
        public Answer alter(List<HomeChange> changes) {
            checkThere();
            HomeRow wanted = changes.get(0).row();
            boolean fits = wanted.version() == (row == null ? 0 : row.version());
            if (fits) {
                version++;
                row = new HomeRow(
                        wanted.scope(),
                        wanted.name(),
                        wanted.part(),
                        wanted.kind(),
                        wanted.shard(),
                        wanted.owner(),
                        wanted.state(),
                        version);
            }
            return new Answer(fits, version, List.of(row));
        }

        @Override
        public Changes changes(long since) {
            checkThere();
            return new Changes(version, false, row == null || row.version() <= since ? List.of() : List.of(row));
        }

        private void checkThere() {
            if (isAway) {
                throw new IllegalStateException("the directory is away");
            }
        }
    }

    private final class Node implements Handovers.Shards {
        private final String id;
        private final Handovers handovers;
        private final IntPredicate mayTake;
        private final IntPredicate mayServe;
        private final Set<Integer> failed = new HashSet<>();
        private final Set<AddressMove> underWay = new HashSet<>();

        Node(String id, IntPredicate mayTake, IntPredicate mayServe) {
            this.id = id;
            this.mayTake = mayTake;
            this.mayServe = mayServe;
            this.handovers = new Handovers(this, LEASE, BEAT, () -> now, Runnable::run);
            handovers.in(row, id, any -> {});
        }

        @Override
        public boolean serves(int shard) {
            return id.equals(owners.get(shard));
        }

        @Override
        public boolean mayTake(int shard) {
            return mayTake.test(shard) && !failed.contains(shard);
        }

        @Override
        public void handOver(int shard, String to) {
            if (serves(shard)) {
                owners.remove(shard);
                resigned.add(shard);
                handed++;
                if (to.equals(dying)) {
                    kill(to);
                }
            }
        }

        @Override
        public void expect() {
            // It asks all the time.
        }

        @Override
        public boolean isUnderWay(AddressMove move) {
            return underWay.contains(move);
        }

        @Override
        public String named(String nodeId) {
            return nodeId;
        }

        void turn() {
            try {
                handovers.turn(
                        handovers.isAboutToBring()
                                ? new ShardBalance(List.copyOf(nodes.keySet()), Map.copyOf(owners), SHARDS)
                                : new ShardBalance(seenNodes, seen, SHARDS));
            } catch (IllegalStateException away) {
                assertThat(row.isAway).isTrue();
            }
        }

        void ask() {
            for (int shard = 0; shard < SHARDS; shard++) {
                boolean isFree = resigned.contains(shard) || !owners.containsKey(shard) && !ends.containsKey(shard);
                if (!isFree || failed.contains(shard) || !handovers.mayAsk(shard)) {
                    continue;
                }
                if (mayServe.test(shard)) {
                    resigned.remove((Integer) shard);
                    owners.put(shard, id);
                } else {
                    failed.add(shard);
                }
            }
        }
    }

    private void start(String id) {
        start(id, shard -> true);
    }

    private void start(String id, IntPredicate mayTake) {
        start(id, mayTake, shard -> true);
    }

    private void start(String id, IntPredicate mayTake, IntPredicate mayServe) {
        nodes.put(id, new Node(id, mayTake, mayServe));
    }

    private void kill(String id) {
        nodes.remove(id);
        owners.entrySet().removeIf(owned -> {
            if (owned.getValue().equals(id)) {
                ends.put(owned.getKey(), now + LEASE.toNanos());
                return true;
            }
            return false;
        });
    }

    /** Lets time pass; nodes take their turns in any order. */
    private void run(Duration length) {
        long until = now + length.toNanos();
        while (now < until) {
            now += STEP;
            ends.values().removeIf(end -> end <= now);
            if (now % BEAT == 0) {
                seen = new HashMap<>(owners);
                seenNodes = List.copyOf(nodes.keySet());
            }
            List<Node> all = new ArrayList<>(nodes.values());
            Collections.shuffle(all, random);
            all.forEach(Node::turn);
            Collections.shuffle(all, random);
            all.stream().filter(nodes::containsValue).forEach(Node::ask);
        }
    }

    private List<Long> counts() {
        return nodes.keySet().stream()
                .map(id -> owners.values().stream().filter(id::equals).count())
                .toList();
    }

    private void assertBalanced() {
        assertThat(owners).hasSize(SHARDS);
        assertThat(nodes.keySet()).containsAll(owners.values());
        List<Long> counts = counts();
        assertThat(counts.stream().mapToLong(Long::longValue).max().orElseThrow()
                        - counts.stream().mapToLong(Long::longValue).min().orElseThrow())
                .isLessThanOrEqualTo(1);
        assertThat(Handover.of(row.row).step()).isEqualTo(Handover.Step.OVER);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 7})
    void nodesThatJoinGetTheirShareAndNoMore(int count) {
        start("node 0");
        run(Duration.ofSeconds(10));
        assertThat(counts()).containsExactly((long) SHARDS);
        IntStream.range(1, count).forEach(i -> start("node " + i));
        run(Duration.ofMinutes(3));
        assertBalanced();
        assertThat(handed).isEqualTo(SHARDS - (SHARDS + count - 1) / count);
        run(Duration.ofMinutes(3));
        assertThat(handed).as("nothing moves any more").isEqualTo(SHARDS - (SHARDS + count - 1) / count);
    }

    /** The time between deaths is any, and so is the step in which a node dies. */
    @Test
    void nodesDieInEveryStepAndNoShardStaysWithoutAnOwner() {
        start("node 0");
        int next = 1;
        for (int death = 0; death < 300; death++) {
            start("node " + next++);
            start("node " + next++);
            run(Duration.ofMillis(500L * random.nextInt(30)));
            bringAtRandom();
            run(Duration.ofMillis(500L * random.nextInt(30)));
            while (nodes.size() > 2) {
                List<String> all = new ArrayList<>(nodes.keySet());
                kill(all.get(random.nextInt(all.size())));
            }
            if (death % 20 == 0) {
                run(Duration.ofMinutes(3));
                assertBalanced();
                assertThat(nodes.values())
                        .noneMatch(node -> node.handovers.brought().isAny());
            }
        }
        assertThat(came.get()).as("shards that were brought").isGreaterThan(50);
        assertThat(handed).isGreaterThan(100);
    }

    @Test
    void nothingIsHandedOverWhileTheDirectoryIsAway() {
        start("node 0");
        run(Duration.ofSeconds(10));
        row.isAway = true;
        start("node 1");
        run(Duration.ofMinutes(1));
        assertThat(handed).isZero();
        row.isAway = false;
        run(Duration.ofMinutes(1));
        assertBalanced();
    }

    @Test
    void aNodeTakesNoShardThatItMayNot() {
        start("node 0");
        run(Duration.ofSeconds(10));
        start("node 1", shard -> shard == 2);
        start("node 2");
        run(Duration.ofMinutes(10));
        assertThat(owners.get(2)).isEqualTo("node 1");
        assertThat(counts()).containsExactly(3L, 1L, 3L);
    }

    /** Its settings do not fit the rings, for example. Each shard is away once, and no more. */
    @Test
    void aNodeThatFailsWithAShardIsGivenItOnce() {
        start("node 0");
        run(Duration.ofSeconds(10));
        start("node 1", shard -> true, shard -> false);
        run(Duration.ofMinutes(10));
        assertThat(counts()).containsExactly((long) SHARDS, 0L);
        assertThat(handed).isEqualTo(SHARDS);
        start("node 2");
        run(Duration.ofMinutes(10));
        assertThat(counts()).containsExactly(4L, 0L, 3L);
    }

    /** Some let the shard go, and some forget it. */
    private void bringAtRandom() {
        for (Node node : nodes.values()) {
            AddressMove move = new AddressMove("a", random.nextInt(SHARDS), random.nextInt(SHARDS));
            boolean isForgotten = random.nextBoolean();
            CompletionStage<Runnable> brought =
                    move.from() == move.to() ? null : node.handovers.brought().bring(move);
            if (brought != null) {
                brought.thenAccept(leave -> {
                    came.incrementAndGet();
                    if (!isForgotten) {
                        leave.run();
                    }
                });
            }
        }
    }

    private CompletableFuture<Runnable> bring(String node, int from, int to) {
        return nodes.get(node)
                .handovers
                .brought()
                .bring(new AddressMove("a", from, to))
                .toCompletableFuture();
    }

    private int shardOf(String node) {
        return owners.entrySet().stream()
                .filter(owned -> owned.getValue().equals(node))
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    private void startOneForEachShard() {
        IntStream.range(0, SHARDS).forEach(i -> start("node " + i));
        run(Duration.ofMinutes(3));
        assertBalanced();
        handed = 0;
    }

    @Test
    void aShardThatWasBroughtStaysUntilItsMoveHasBegunAndIsOver() {
        startOneForEachShard();
        AddressMove move = new AddressMove("a", shardOf("node 1"), shardOf("node 2"));
        Node taker = nodes.get("node 1");
        CompletableFuture<Runnable> brought = bring("node 1", move.from(), move.to());
        Runnable leave = runUntil(brought);
        run(Duration.ofSeconds(12)); // longer than others wait for a handover that stands still
        CompletableFuture<Runnable> another = bring("node 3", shardOf("node 3"), move.to());
        run(Duration.ofSeconds(8));
        assertThat(owners).containsEntry(move.from(), "node 1").containsEntry(move.to(), "node 1");
        assertThat(handed).isEqualTo(1);
        assertThat(another).isNotDone();

        taker.underWay.add(move);
        leave.run();
        run(Duration.ofSeconds(1));
        assertThat(handed).as("while the move is under way").isEqualTo(1);
        taker.underWay.clear();
        runUntil(another).run();
        assertThat(owners).containsEntry(move.to(), "node 3");
        run(Duration.ofMinutes(1));
        assertBalanced();
    }

    /** Also the first of two wishes: the one that is refused holds nothing. */
    @Test
    void aNodeThatCannotServeAShardIsNotGivenItForAMove() {
        startOneForEachShard();
        start("bound", shard -> shard == 0);
        start("misfit", shard -> true, shard -> shard == 1);
        run(Duration.ofMinutes(1));
        owners.put(0, "bound");
        owners.put(1, "misfit");
        CompletableFuture<Runnable> forbidden = bring("bound", 0, 2);
        CompletableFuture<Runnable> unfit = bring("misfit", 1, 3);
        runUntilDone(forbidden);
        runUntilDone(unfit);
        assertThatThrownBy(forbidden::join).hasMessageContaining("RT-4650");
        assertThatThrownBy(unfit::join).hasMessageContaining("RT-4650");
        run(Duration.ofMinutes(1));
        assertThat(owners).hasSize(SHARDS).doesNotContainEntry(3, "misfit");
    }

    @Test
    void aWishEndsInTimeWhileTheDirectoryIsAway() {
        startOneForEachShard();
        CompletableFuture<Runnable> brought = bring("node 1", shardOf("node 1"), shardOf("node 2"));
        row.isAway = true;
        run(Duration.ofSeconds(30));
        runUntilDone(brought);
        assertThatThrownBy(brought::join).hasMessageContaining("RT-4649");
        row.isAway = false;
        run(Duration.ofMinutes(1));
        assertBalanced();
    }

    private Runnable runUntil(CompletableFuture<Runnable> brought) {
        runUntilDone(brought);
        return brought.join();
    }

    private void runUntilDone(CompletableFuture<Runnable> brought) {
        for (int step = 0; step < 200 && !brought.isDone(); step++) {
            run(Duration.ofNanos(STEP));
        }
        assertThat(brought).isDone();
    }

    /** The giver does not wait until the handover stands still for long enough. */
    @Test
    void aShardComesBackAtOnceFromANodeThatFailsWithIt() {
        start("node 0");
        run(Duration.ofSeconds(10));
        start("node 1", shard -> true, shard -> false);
        while (nodes.get("node 1").failed.isEmpty()) {
            run(Duration.ofNanos(STEP));
        }
        run(Duration.ofSeconds(1));
        assertThat(owners).hasSize(SHARDS).containsEntry(SHARDS - 1, "node 0");
    }

    /** The same for one that dies before it has the shard. */
    @Test
    void aShardComesBackOnceTheNodeThatWasToTakeItIsSeenNoMore() {
        start("node 0");
        run(Duration.ofSeconds(10));
        start("node 1");
        dying = "node 1";
        while (handed == 0) {
            run(Duration.ofNanos(STEP));
        }
        run(Duration.ofNanos(BEAT + 2 * STEP));
        assertThat(owners).hasSize(SHARDS).doesNotContainValue("node 1");
    }

    @Test
    void oneShardIsMovedAtATime() {
        start("node 0");
        run(Duration.ofSeconds(10));
        start("node 1");
        Handovers asked = nodes.get("node 0").handovers;
        var first = asked.move(5, "node 0", "node 1").toCompletableFuture();
        var second = asked.move(4, "node 0", "node 1").toCompletableFuture();
        nodes.get("node 0").turn();
        first.join();
        assertThatThrownBy(second::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(Refusal.Refused.class)
                .hasMessageContaining("RT-4605 shard 5 is being handed over");
        run(Duration.ofSeconds(20));
        assertThat(owners.get(5)).isEqualTo("node 1");
    }
}
