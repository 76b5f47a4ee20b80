package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.sqlite.SqliteTestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** One seed of the simulation: the shard, its two nodes, and what their clients know. */
final class TwoNodes {
    static final long LEASE = SteppedShard.LEASE.toNanos();
    private static final int STEPS = 120;
    /** Where freezes are rare, much happens between two of them; where they are frequent, one follows the other. */
    private static final int[] FREEZES_ONE_IN = {25, 6};

    /** A check that a node leaves out: the simulation has to notice. */
    enum Omission {
        NONE,
        /** Outcomes leave whatever the clock says. */
        COMMITTER_LOOKS_AT_NO_CLOCK,
        /** Deliveries leave whatever the clock says. */
        DISPATCHER_LOOKS_AT_NO_CLOCK,
        /** Accepts messages that nobody owes without a question to the store, and outcomes whatever the clock says. */
        NOBODY_ASKS_THE_STORE,
        /** After a lost connection gate and next are compared, and not who owned the shard in between. */
        A_GAP_IN_EPOCHS_IS_OVERLOOKED
    }

    private final long seed;
    final Random random;
    final Omission omission;
    final int freezesOneIn; // calls
    final RingStore tables;
    private final FrozenNode[] nodes = new FrozenNode[2];
    final Map<String, Set<String>> mustReach = new HashMap<>(); // subscriptions by text of what was accepted
    final Map<String, Set<String>> reached = new HashMap<>();
    final Map<String, Set<String>> settled = new HashMap<>();
    final Set<String> subscriptions = new HashSet<>(); // those that were answered
    long nanos = 1;
    FrozenNode owner; // whom the tables name
    long leaseEnds;
    int published;
    private int step;
    boolean calm; // nobody is frozen any more

    TwoNodes(Path directory, long seed, Omission omission) throws Exception {
        this.seed = seed;
        this.omission = omission;
        this.random = new Random(seed);
        this.freezesOneIn = FREEZES_ONE_IN[(int) (seed % FREEZES_ONE_IN.length)];
        Path file = Files.createDirectories(directory.resolve(omission + "-" + seed));
        SqliteTestDatabase.layMigrated(file, 0);
        this.tables = RingStores.open(StoreSettings.embedded(file));
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = new FrozenNode(this, "node-" + i, file);
        }
    }

    void run() {
        try {
            for (step = 1; step <= STEPS; step++) {
                nanos += random.nextInt(10) == 0 ? random.nextLong(LEASE * 2) : random.nextLong(LEASE / 50);
                nodes[random.nextInt(nodes.length)].step();
            }
            settleEverything();
        } catch (RuntimeException | Error failure) {
            throw new AssertionError(
                    omission + ", seed " + seed + ", step " + step + ": " + failure.getMessage(), failure);
        } finally {
            tables.close();
        }
    }

    private void settleEverything() {
        calm = true;
        nodes[0].stop();
        nanos += 3 * LEASE;
        FrozenNode last = nodes[1];
        for (int turns = 0; turns < 40; turns++) {
            nanos += LEASE / 50;
            last.step();
            last.receiveEverything();
        }
        mustReach.forEach((text, names) -> assertThat(reached.getOrDefault(text, Set.of()))
                .as("who was given %s, which was accepted", text)
                .containsAll(names));
    }

    /** The clock goes on, and so does the other node. */
    void freeze(FrozenNode frozen) {
        nanos += random.nextLong(LEASE * 3);
        FrozenNode other = frozen == nodes[0] ? nodes[1] : nodes[0];
        if (!other.isInside()) {
            for (int steps = random.nextInt(20); steps > 0; steps--) {
                nanos += random.nextLong(LEASE / 20);
                other.step();
            }
        }
        if (random.nextInt(3) == 0) {
            other.stop(); // its lease ends without it
            nanos += 2 * LEASE;
        }
    }

    void seenFrom(FrozenNode node, String what) {
        assertThat(owner)
                .as("the owner while %s lets a client see %s", node.id(), what)
                .isSameAs(node);
    }
}
