package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingKind;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.SchemaMigrations;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two shards in one database, on SQLite in one folder, each opened as a store of its own. They use the same names,
 * sequences and ids of bodies, and nothing of one is ever seen or changed by the other.
 */
abstract class NeighboursContract {
    private static final int TURNS = 20; // of a block each: two laps and a half
    private static final int BLOCKS_KEPT = 6; // of the eight that the ring has

    private StoreFixture f;
    private StoreFixture g;

    abstract StoreFixture fixture();

    abstract TestDatabase empty() throws Exception;

    @BeforeEach
    void twoShards() {
        f = fixture();
        g = f.neighbour();
    }

    @AfterEach
    void closeTheSecond() {
        if (g != null) {
            g.store.close();
        }
    }

    @Test
    void whatEachHoldsIsItsOwnThroughSeveralLaps() {
        Life left = new Life(f);
        Life right = new Life(g);
        for (int turn = 1; turn <= TURNS; turn++) {
            left.turn();
            right.turn();
            if (turn % 7 == 0) {
                right.turn(); // so that they are never long at the same place
                left.check();
                right.check();
            }
        }
        f.reopen();
        g.reopen();
        left.check();
        right.check();
        left.turn();
        right.check();
    }

    @Test
    void whatOneDeletesTheOtherKeeps() {
        Life left = new Life(f);
        Life right = new Life(g);
        for (int turn = 0; turn < BLOCKS_KEPT + 3; turn++) {
            left.turn();
            right.turn();
        }
        left.deleteAll();
        left.check();
        right.check();
        f.reopen();
        g.reopen();
        left.check();
        right.check();
    }

    @Test
    void bothAreWrittenAtTheSameTimeWithoutAnError() throws Exception {
        Life left = new Life(f);
        Life right = new Life(g);
        together(() -> turns(left), () -> turns(right));
        left.check();
        right.check();
    }

    private static void turns(Life life) {
        for (int turn = 0; turn < TURNS; turn++) {
            life.turn();
        }
    }

    @Test
    void severalMayBeLaidAtTheSameTimeInAnEmptyDatabase() throws Exception {
        TestDatabase database = empty();
        StoreFixture[] laid = new StoreFixture[4];
        try {
            together(IntStream.range(0, laid.length)
                    .mapToObj(shard -> (Runnable) () -> laid[shard] = new StoreFixture(database, shard))
                    .toArray(Runnable[]::new));
            for (StoreFixture each : laid) {
                each.publish(each.topic("orders", 1), 10);
            }
            for (StoreFixture each : laid) {
                each.agrees();
            }
        } finally {
            Stream.of(laid).filter(each -> each != null).forEach(each -> each.store.close());
            database.close();
        }
    }

    @Test
    void aNewOwnerOfOneFencesNobodyInTheOther() {
        AddressRow ours = f.topic("orders", 1);
        AddressRow theirs = g.topic("orders", 1);
        long former = g.epoch;
        long kept = f.epoch;
        g.own();
        g.refused(Kind.FENCED, () -> g.store.flush(g.batch().publish(theirs, 1).build(former, 0)));
        f.store.checkOwner(kept);
        f.store.renew(kept);
        f.batch().publish(ours, 1).flush();
        assertThat(f.epoch).isEqualTo(kept);
        f.agrees();
        g.batch().publish(theirs, 1).flush();
        g.agrees();
    }

    @Test
    void whoTakesOneShardLeavesTheOtherToItsOwner() {
        Assumptions.assumeFalse(f.store.limits().exclusiveFile(), "only one process may open this store");
        AddressRow ours = f.topic("orders", 1);
        AddressRow theirs = g.topic("orders", 1);
        g.store.resign(g.epoch);
        try (RingStore taken = RingStores.open(f.database.settings().ofShard(g.shard));
                RingStore standby = f.database.open()) {
            assertThat(acquire(taken)).isInstanceOf(Ownership.Owned.class);
            StoreFixture.fails(
                    Kind.FENCED,
                    () -> g.store.flush(g.batch().publish(theirs, 1).build()));
            assertThat(acquire(standby))
                    .isInstanceOfSatisfying(
                            Ownership.HeldBy.class,
                            held -> assertThat(held.epoch()).isEqualTo(f.epoch));
            f.store.renew(f.epoch);
            f.batch().publish(ours, 1).flush();
        }
        f.agrees();
    }

    /** The other node may run another version, whose procedures a step would replace. */
    @Test
    void noStepIsMadeWhileAnotherNodeHoldsAnotherShard() throws Exception {
        Assumptions.assumeFalse(f.store.limits().exclusiveFile(), "a file holds one shard");
        AddressRow topic = f.topic("orders", 1);
        g.store.resign(g.epoch);
        forgetProcedures();
        try (RingStore other = RingStores.open(f.database.settings().ofShard(g.shard))) {
            assertThat(acquire(other)).isInstanceOfSatisfying(Ownership.HeldBy.class, held -> {
                assertThat(held.epoch()).isEqualTo(f.epoch);
                assertThat(held.node()).isEqualTo("contract suite");
                assertThat(held.leaseLeftMs()).isBetween(1L, StoreFixture.LEASE.toMillis());
            });
            g.own(); // the node that holds the first as well
            f.batch().publish(topic, 1).flush();

            forgetProcedures();
            f.store.resign(f.epoch);
            g.store.resign(g.epoch);
            assertThat(acquire(other)).isInstanceOf(Ownership.Owned.class);
        }
        f.own();
        f.agrees();
    }

    /** Makes the schema one that lacks steps: a later start installs these procedures anew. */
    private void forgetProcedures() throws SQLException {
        try (Connection connection = f.database.connect();
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("DELETE FROM ringtable." + SchemaMigrations.HISTORY
                            + " WHERE version IS NULL AND description > 'm'"))
                    .isPositive();
        }
    }

    private static Ownership acquire(RingStore store) {
        return store.acquire("node-b", "the other node", StoreFixture.LEASE, StoreFixture.GEOMETRY);
    }

    @Test
    void eachTellsHowManyThereAreByTheHighest() {
        assertThat(f.store.shards()).isEqualTo(g.shard + 1);
        assertThat(g.store.shards()).isEqualTo(g.shard + 1);
    }

    @Test
    void anIdTellsItsShard() {
        for (StoreFixture each : List.of(f, g)) {
            AddressRow queue = each.address("orders", AddressKind.QUEUE);
            SubscriptionRow reader = each.subscribe(queue, "", 0, 0);
            ProducerRow producer = each.producer(queue, "shop");
            assertThat(LongStream.of(queue.addressId(), reader.subscriptionId(), producer.producerId()))
                    .allMatch(id -> ShardIds.shardOf(id) == each.shard);
            each.agrees();
        }
    }

    @Test
    void anIdOfAnotherShardIsRefusedAndTheLastOwnOneIsNot() {
        AddressRow topic = g.topic("orders", 1);
        long last = ShardIds.last(g.shard);
        for (long foreign : new long[] {last + 1, ShardIds.first(g.shard) - 1}) {
            for (CatalogChange change : List.of(
                    new CatalogChange.CreateAddress(foreign, "more", AddressKind.QUEUE, 1, 1),
                    new CatalogChange.Subscribe(new SubscriptionRow(
                            foreign, topic.addressId(), "c", "more", 0, 7, 0, -1, null, false, false)),
                    new CatalogChange.CreateProducer(
                            new ProducerRow(foreign, topic.addressId(), "more", 1, 0, 1_760_000_000_000L, null)))) {
                assertThat(g.refused(Kind.REFUSED, () -> g.store.alter(g.epoch, List.of(change))))
                        .hasMessageStartingWith("RT-3070 id " + foreign);
            }
        }
        g.alter(new CatalogChange.CreateAddress(last, "the last", AddressKind.QUEUE, 1, 1));
        g.reopen();
        g.agrees();
    }

    /** Runs all of them, from the same moment on; the failure of one is the failure of the test. */
    private static void together(Runnable... works) throws Exception {
        CyclicBarrier begin = new CyclicBarrier(works.length);
        ExecutorService threads = Executors.newFixedThreadPool(works.length);
        try {
            List<Future<?>> all = Stream.of(works)
                    .<Future<?>>map(work -> threads.submit(() -> {
                        begin.await(60, TimeUnit.SECONDS);
                        work.run();
                        return null;
                    }))
                    .toList();
            for (Future<?> each : all) {
                each.get(120, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Uses everything that a shard has, a block of messages at a time. Each shard stores something else. */
    private static final class Life {
        private final StoreFixture f;
        private final AddressRow topic;
        private final SubscriptionRow slow;
        private final SubscriptionRow copying;
        private final ProducerRow producer;
        private long turns; // also the ids of bodies so far, and the number of the producer's last message
        private boolean deleted;

        Life(StoreFixture f) {
            this.f = f;
            topic = f.topic("orders", 2);
            slow = f.subscription(topic, 0);
            copying = f.subscription(topic, 1);
            producer = f.producer(topic, "shop");
            f.alter(new CatalogChange.OwnClient("client", "a user of shard " + f.shard));
            f.alter(new CatalogChange.PutSetting(new Setting(
                    SettingKind.RULE,
                    "all of it",
                    "{\"shard\":" + f.shard + "}",
                    "",
                    Instant.ofEpochMilli(1_760_000_000_000L + f.shard))));
            f.alter(new CatalogChange.BeginReplay(copying.subscriptionId(), 0));
        }

        void turn() {
            turns++;
            long from = f.model.next;
            byte[] large = large(turns);
            f.store.stage(f.epoch, turns, large);
            TestFlush claims = f.batch()
                    .publish(topic, null, turns, large.length, 0, 0, 9)
                    .publish(topic, StoreFixture.body("of shard " + f.shard))
                    .publish(topic, RingGeometry.BLOCK - 2)
                    .produced(producer, turns)
                    .identified(topic, (int) turns % 4, turns, StoreFixture.body(f.shard + "/" + turns))
                    .copied(copying, turns);
            claims.dispatchBound = from;
            claims.dispatchBounds.add(new Flush.DispatchBound(slow.subscriptionId(), from));
            claims.flush();
            // The slow one keeps a part of each block, another part in each shard.
            f.batch()
                    .settle(from, from + RingGeometry.BLOCK, 1)
                    .settle(from + 1, from + 900 + f.shard, 0)
                    .failed(from, slow.subscriptionId(), (int) turns, 0)
                    .flush();
            if (f.model.next - f.model.gate > BLOCKS_KEPT * RingGeometry.BLOCK) {
                long passed = f.model.gate;
                f.reclaim(passed + RingGeometry.BLOCK);
                f.batch().settle(passed, 0).settle(passed + 1000, 0).flush();
                f.discard(topic, passed, passed + RingGeometry.BLOCK);
            }
        }

        void deleteAll() {
            f.alter(new CatalogChange.DeleteSetting(SettingKind.RULE, "all of it"));
            f.alter(new CatalogChange.OwnClient("client", null));
            f.alter(new CatalogChange.DeleteAddress(topic.addressId()));
            f.discard(topic, 0, f.model.next);
            while (f.model.next > f.model.gate) {
                f.reclaim(f.model.gate + RingGeometry.BLOCK);
            }
            f.store.unstage(f.epoch, LongStream.rangeClosed(1, turns).toArray());
            deleted = true;
        }

        void check() {
            f.agrees();
            if (deleted) {
                assertThat(f.store.orphanedBodies()).isEmpty();
                return;
            }
            for (long id = 1; id <= turns; id++) {
                assertThat(f.store.readBody(id)).isEqualTo(large(id));
            }
            List<Long> named = Stream.concat(f.model.ring.values().stream(), f.model.backlog.values().stream())
                    .map(StoredMessage::bodyId)
                    .toList();
            assertThat(f.store.orphanedBodies())
                    .containsExactlyInAnyOrder(LongStream.rangeClosed(1, turns)
                            .filter(id -> !named.contains(id))
                            .toArray());
        }

        private byte[] large(long id) {
            byte[] body = new byte[70_000 + f.shard];
            Arrays.fill(body, (byte) (id + 100L * f.shard));
            return body;
        }
    }
}
