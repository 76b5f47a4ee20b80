package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One owner at a time; every earlier one is fenced by its epoch. */
abstract class OwnershipContract {
    private StoreFixture f;

    abstract StoreFixture fixture();

    @BeforeEach
    void anOwnedShard() {
        f = fixture();
    }

    @Test
    void everyOwnerHasAHigherEpoch() {
        long first = f.epoch;
        f.own();
        assertThat(f.epoch).isGreaterThan(first);
        long second = f.epoch;
        f.reopen();
        assertThat(f.epoch).isGreaterThan(second);
    }

    @Test
    void everyVerbOfAFormerOwnerIsFencedAndChangesNothing() {
        AddressRow topic = f.topic("orders", 1);
        f.publish(topic, 1024);
        long former = f.epoch;
        f.own();
        f.refused(Kind.FENCED, () -> f.store.flush(f.batch().publish(topic, 1).build(former, 0)));
        f.refused(Kind.FENCED, () -> f.store.reclaim(former, 0, 1024, 1024));
        f.refused(Kind.FENCED, () -> f.store.discard(former, topic.addressId(), 0, 1024));
        f.refused(
                Kind.FENCED, () -> f.store.alter(former, List.of(new CatalogChange.DeleteAddress(topic.addressId()))));
        f.refused(Kind.FENCED, () -> f.store.stage(former, 1, new byte[10]));
        f.refused(Kind.FENCED, () -> f.store.unstage(former, new long[] {1}));
        f.refused(Kind.FENCED, () -> f.store.renew(former));
        f.refused(Kind.FENCED, () -> f.store.resign(former));
        f.refused(Kind.FENCED, () -> f.store.recover(former, row -> {}));
    }

    @Test
    void aShardAloneTellsThatNoneIsAboveIt() {
        assertThat(f.store.shards()).isEqualTo(f.shard + 1);
    }

    @Test
    void theOwnerRenewsAsOftenAsItLikes() {
        for (int i = 0; i < 5; i++) {
            f.store.renew(f.epoch);
        }
        f.agrees();
    }

    @Test
    void aRingOfAnotherCapacityIsRefused() {
        AddressRow topic = f.topic("orders", 1);
        f.publish(topic, 10);
        StoreFailure failure = StoreFixture.fails(
                Kind.UNSUPPORTED,
                () -> f.store.acquire(
                        StoreFixture.NODE, "test", StoreFixture.LEASE, new RingGeometry(4 * f.model.capacity)));
        assertThat(failure).hasMessageContaining("" + f.model.capacity).hasMessageContaining("" + 4 * f.model.capacity);
        f.own();
        f.agrees();
    }

    @Test
    void aFileInUseIsRefusedByName() {
        Assumptions.assumeTrue(f.store.limits().exclusiveFile(), "several nodes may open this store");
        StoreFailure failure = StoreFixture.fails(Kind.UNAVAILABLE, f.database::open);
        assertThat(failure)
                .hasMessageContaining("in use by this process")
                .hasMessageMatching("(?s).*/ringtable(-shard-5)?[.]db' .*");
        f.batch().publish(f.topic("orders", 1), 1).flush();
        f.agrees();
    }

    @Test
    void anotherNodeStandsByWhileTheLeaseRuns() {
        withAnotherNode(other -> {
            Ownership answer = acquire(other, StoreFixture.LEASE);
            assertThat(answer).isInstanceOfSatisfying(Ownership.HeldBy.class, held -> {
                assertThat(held.epoch()).isEqualTo(f.epoch);
                assertThat(held.leaseLeftMs()).isBetween(1L, StoreFixture.LEASE.toMillis());
                assertThat(held.node()).isNotBlank();
            });
            f.batch().publish(f.topic("orders", 1), 1).flush();
        });
        f.agrees();
    }

    @Test
    void anotherNodeTakesOverWhenTheOwnerResigns() {
        withAnotherNode(other -> {
            f.store.resign(f.epoch);
            assertThat(acquire(other, StoreFixture.LEASE)).isInstanceOf(Ownership.Owned.class);
            StoreFixture.fails(Kind.FENCED, () -> f.store.renew(f.epoch));
        });
    }

    @Test
    void anotherNodeTakesOverWhenTheLeaseHasEndedAndTheFormerOwnerIsFenced() {
        withAnotherNode(other -> {
            AddressRow topic = f.topic("orders", 1);
            f.publish(topic, 10);
            f.epoch = ((Ownership.Owned)
                            f.store.acquire(StoreFixture.NODE, "test", Duration.ofMillis(400), StoreFixture.GEOMETRY))
                    .epoch();
            await().until(() -> acquire(other, StoreFixture.LEASE) instanceof Ownership.Owned);
            StoreFixture.fails(
                    Kind.FENCED, () -> f.store.flush(f.batch().publish(topic, 1).build()));
            StoreFixture.fails(Kind.FENCED, () -> f.store.renew(f.epoch));
        });
    }

    @Test
    void aLeaseThatIsRenewedDoesNotEnd() {
        withAnotherNode(other -> {
            Duration lease = Duration.ofSeconds(4); // a slow server on a busy machine takes most of a second for a call
            f.store.renew(f.epoch); // both have their connections before the short lease begins
            assertThat(acquire(other, lease)).isInstanceOf(Ownership.HeldBy.class);
            f.epoch = ((Ownership.Owned) f.store.acquire(StoreFixture.NODE, "test", lease, StoreFixture.GEOMETRY))
                    .epoch();
            long end = System.nanoTime() + lease.toNanos();
            await("the end of the lease as it was first given")
                    .pollInterval(Duration.ofMillis(200))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> {
                        boolean isPast = System.nanoTime() - end > 0;
                        f.store.renew(f.epoch);
                        assertThat(acquire(other, lease)).isInstanceOf(Ownership.HeldBy.class);
                        return isPast;
                    });
        });
    }

    @Test
    void theOwnerIsToldSoWithoutAWrite() {
        f.store.checkOwner(f.epoch);
        long former = f.epoch;
        f.own();
        f.refused(Kind.FENCED, () -> f.store.checkOwner(former));
        f.store.checkOwner(f.epoch);
    }

    @Test
    void whoTakesTheShardHearsWhichEpochItHadBefore() {
        long first = f.epoch;
        Ownership.Owned again =
                (Ownership.Owned) f.store.acquire(StoreFixture.NODE, "test", StoreFixture.LEASE, StoreFixture.GEOMETRY);
        assertThat(again.previousEpoch()).isEqualTo(first);
        assertThat(again.epoch()).isGreaterThan(first);
        f.epoch = again.epoch();
    }

    @Test
    void anEpochThatARestoredDatabaseHasNotHeardOfNeverComesBack() throws SQLException {
        AddressRow topic = f.topic("orders", 1);
        f.publish(topic, 10);
        long backedUp = f.epoch;
        f.own();
        f.own();
        long lost = f.epoch;
        f.database.bringBackEpoch(backedUp);
        StoreFixture.fails(Kind.FENCED, () -> f.store.checkOwner(lost));
        for (int i = 0; i < 3; i++) {
            f.own();
            assertThat(f.epoch).as("later than every epoch that was ever given").isGreaterThan(lost);
        }
        f.refused(Kind.FENCED, () -> f.store.flush(f.batch().publish(topic, 1).build(lost, 0)));
        f.agrees();
    }

    @Test
    void aClockThatWasSetBackMakesNobodyWaitLongerThanTheLease() throws SQLException {
        withAnotherNode(other -> {
            Duration lease = Duration.ofMillis(600);
            f.epoch = ((Ownership.Owned) f.store.acquire(StoreFixture.NODE, "test", lease, StoreFixture.GEOMETRY))
                    .epoch();
            setClockBack();
            assertThat(acquire(other, lease))
                    .isInstanceOfSatisfying(
                            Ownership.HeldBy.class,
                            held -> assertThat(held.leaseLeftMs()).isBetween(1L, lease.toMillis()));
            await().until(() -> acquire(other, lease) instanceof Ownership.Owned);
        });
    }

    private void setClockBack() {
        try {
            f.database.setClockBack();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static Ownership acquire(RingStore store, Duration lease) {
        return store.acquire("node-b", "the other node", lease, StoreFixture.GEOMETRY);
    }

    private void withAnotherNode(java.util.function.Consumer<RingStore> test) {
        Assumptions.assumeFalse(f.store.limits().exclusiveFile(), "only one process may open this store");
        try (RingStore other = f.database.open()) {
            test.accept(other);
        }
    }
}
