package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.dispatch.AddressMove;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.home.AwayShard;
import io.ringtable.broker.home.Homes;
import io.ringtable.broker.home.directory.SteppedDirectory;
import io.ringtable.broker.inbox.InboxCollector;
import io.ringtable.broker.inbox.InboxEncoder;
import io.ringtable.broker.inbox.SharedLooks;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.InboxRow;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.work.CommitMonitor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Moves queues between four shards, stepped by one thread at random, while applications publish to them by SQL.
 * Collectors look or do not look, calls to pass messages on lose their answers, and the process dies. The table of the
 * inbox is in memory, the queues and the directory are in real files.
 * <p>
 * Invariants checked:
 * <ul>
 *   <li>each committed message is received once;
 *   <li>a queue has the messages of each application in the order of its calls.
 * </ul>
 */
class InboxMoveSimulationTest {
    private static final int SHARDS = 4;
    private static final int QUEUES = 4;
    private static final int APPLICATIONS = 3;
    private static final int STEPS = 1_500;

    @TempDir
    Path files;

    private final List<InboxCollector> collectors = new ArrayList<>();
    private final Map<String, List<String>> published = new TreeMap<>(); // by queue and application
    private final Map<String, List<String>> received = new TreeMap<>();
    private final List<List<InboxMessage>> open = new ArrayList<>(); // by application: its transaction
    private SteppedHomes node;
    private SteppedDirectory other; // of the node that owns shard 0; null = the same node
    private int movable; // the lowest shard that queues leave and enter
    private Random random;
    private long nanos;
    private long ids;

    @BeforeEach
    void open() {
        node = new SteppedHomes(files, SHARDS);
        for (SteppedShard shard : node.shards) {
            for (int number = 0; number < SHARDS; number++) {
                shard.store.neighbours.put(number, node.shards.get(number).store.inbox);
            }
        }
        start();
        for (int queue = 0; queue < QUEUES; queue++) {
            node.await(node.homes.catalog().ensure(name(queue), AddressKind.QUEUE));
        }
        for (int application = 0; application < APPLICATIONS; application++) {
            open.add(new ArrayList<>());
        }
    }

    @AfterEach
    void close() {
        node.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void theOrderOfEachApplicationIsKeptThroughMoves(long seed) {
        run(seed);
    }

    /** Another node owns shard 0, and hears of what the directory says when it happens to ask. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void theOrderIsKeptWhereTheNodeOfTheLowestShardHearsOfMovesLate(long seed) {
        movable = 1;
        start();
        run(seed);
    }

    private void run(long seed) {
        random = new Random(seed);
        int moves = 0;
        for (int step = 0; step < STEPS; step++) {
            moves += step();
        }
        assertThat(moves).as("moves").isGreaterThan(10);
        for (int application = 0; application < APPLICATIONS; application++) {
            commit(application);
        }
        for (int i = 0; i < 2_000; i++) {
            hear();
            collect(i % SHARDS);
            node.turn(i % (SHARDS + 1));
        }
        for (int queue = 0; queue < QUEUES; queue++) {
            receive(name(queue));
        }
        assertThat(node.shards)
                .allSatisfy(shard -> assertThat(shard.store.inbox).isEmpty());
        assertThat(received).isEqualTo(published);
    }

    /** @return 1 if a queue began to move */
    private int step() {
        int what = random.nextInt(100);
        if (what < 25) {
            publish(random.nextInt(APPLICATIONS), name(random.nextInt(QUEUES)));
        } else if (what < 40) {
            commit(random.nextInt(APPLICATIONS));
        } else if (what < 65) {
            collect(random.nextInt(SHARDS));
        } else if (what < 85) {
            node.turn(random.nextInt(SHARDS + 1));
        } else if (what < 88) {
            node.homes.lookAtMoves();
        } else if (what < 89) {
            hear();
        } else if (what < 94) {
            return move(name(random.nextInt(QUEUES)), movable + random.nextInt(SHARDS - movable)) ? 1 : 0;
        } else if (what < 98) {
            receive(name(random.nextInt(QUEUES)));
        } else if (what == 98) {
            failOnce(random.nextInt(SHARDS), random.nextBoolean());
        } else if (random.nextInt(4) == 0) {
            node.shards.forEach(SteppedShard::crashAndRestart);
            start();
        }
        return 0;
    }

    private static String name(int queue) {
        return "q" + queue;
    }

    private void start() {
        node.startWhole(node.stored());
        Homes ofLowest = movable == 0 ? node.homes : otherNode();
        collectors.clear();
        SharedLooks looks = new SharedLooks(nanos);
        for (int number = 0; number < SHARDS; number++) {
            SteppedShard shard = node.shards.get(number);
            Homes homes = number == 0 ? ofLowest : node.homes;
            InboxEncoder encoder = new CollectedInbox.PlainEncoder();
            collectors.add(new InboxCollector(
                    TestSettings.of("ringtable.inbox.probe-interval", "1ms").inbox(),
                    shard.store,
                    shard.doors,
                    new NodeInbox(number, () -> homes, shard.store, shard.state::epoch, encoder),
                    encoder,
                    "DLQ",
                    looks,
                    CommitMonitor.NONE,
                    new Doorbell(),
                    () -> shard.now,
                    () -> nanos));
            looks.join(number, collectors.get(number));
        }
    }

    private Homes otherNode() {
        CurrentPolicies policies = new CurrentPolicies(SteppedSettings.PLAIN);
        List<Shard> shards = new ArrayList<>(List.of(new SteppedHome(node.shards.get(0), policies)));
        for (int number = 1; number < SHARDS; number++) {
            shards.add(AwayShard.shared(
                    policies, MessageTraces.OFF, 0, new Catalog(number), any -> null, "the other node has it"));
        }
        other = new SteppedDirectory(node.stored());
        Homes homes = new Homes(shards, other.directory(), Lease.withoutEnd(), shards::size);
        other.directory().listen(homes::follow);
        homes.follow(null);
        return homes;
    }

    /** Has the other node ask what the directory says. */
    private void hear() {
        if (other != null) {
            other.directory().refresh();
            other.turn();
        }
    }

    // ---- applications

    /** Calls the function in the transaction that is open: the row has its id, and nobody sees it yet. */
    private void publish(int application, String queue) {
        String who = queue + " of " + application;
        List<String> all = published.computeIfAbsent(who, any -> new ArrayList<>());
        String text = who + ": " + all.size();
        all.add(text);
        open.get(application).add(new InboxMessage(ids++, queue, null, true, SteppedShard.bytes(text), "{}", 1, null));
    }

    private void commit(int application) {
        Map<Long, InboxRow> inbox = node.shards.get(0).store.inbox;
        open.get(application).forEach(row -> inbox.put(row.id(), row));
        open.get(application).clear();
    }

    // ---- the broker

    private void collect(int number) {
        nanos += TimeUnit.MILLISECONDS.toNanos(300);
        collectors.get(number).doWork();
    }

    private void failOnce(int number, boolean after) {
        FaultyStore store = node.shards.get(number).store;
        store.plan = (verb, flush) -> {
            if (!verb.equals("passOn")) {
                return null;
            }
            store.plan = FaultyStore.NOTHING_FAILS;
            return new FaultyStore.Fault(Kind.OUTCOME_UNKNOWN, after);
        };
    }

    private boolean move(String queue, int to) {
        Address address = node.homes.lookup().find(queue);
        int from = ShardIds.shardOf(address.id());
        if (node.homes.moveOf(queue) != null || from == to || from < movable) {
            return false;
        }
        node.homes.catalog().move(address, to, false);
        return true;
    }

    /** Receives all there is as consumers do, from the old home first. */
    private void receive(String queue) {
        List<SteppedShard> all = new ArrayList<>(node.shards);
        AddressMove move = node.homes.moveOf(queue);
        if (move != null) {
            SteppedShard old = node.shards.get(move.from());
            all.remove(old);
            all.add(0, old);
        }
        for (SteppedShard shard : all) {
            Address part = shard.doors.lookup().find(queue);
            if (part != null) {
                Reader reader = shard.attach(shard.doors.lookup().readerOf(part), 1_000);
                shard.run();
                for (String text : reader.texts()) {
                    received.computeIfAbsent(text.split(":")[0], any -> new ArrayList<>())
                            .add(text);
                }
                reader.acceptAll();
                shard.run();
                reader.detach(false);
                shard.run();
            }
        }
    }
}
