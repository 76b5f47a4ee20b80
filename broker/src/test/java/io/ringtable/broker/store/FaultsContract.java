package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringtable.broker.store.StoreFailure.Kind;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/**
 * Tests that a failure names its kind, and leaves the tables as they were unless the kind says that nobody can know.
 */
abstract class FaultsContract {
    private StoreFixture f;
    private AddressRow good;
    private AddressRow bad;

    abstract StoreFixture fixture();

    @BeforeEach
    void twoTopics() {
        f = fixture();
        good = f.topic("good", 1);
        bad = f.topic("bad", 1);
        f.publish(good, 20);
    }

    @Test
    void aRowThatTheEngineRefusesTakesTheWholeFlushWithItAndNoMore() throws Exception {
        f.database.refuseRowsOf(bad.addressId());
        f.refused(
                Kind.REFUSED,
                () -> f.store.flush(f.batch()
                        .publish(good, 3)
                        .publish(bad, 1)
                        .publish(good, 3)
                        .settle(2, 0)
                        .build()));
        f.batch().publish(good, 6).settle(2, 0).flush();
        f.refused(Kind.REFUSED, () -> f.store.flush(f.batch().publish(bad, 1).build()));
        f.agrees();
    }

    @Test
    void aClosedStoreIsUnavailable() {
        f.store.close();
        StoreFixture.fails(
                Kind.UNAVAILABLE, () -> f.store.flush(f.batch().publish(good, 1).build()));
        StoreFixture.fails(Kind.UNAVAILABLE, () -> f.store.readRing(new long[] {1}));
        f.store.close();
        f.reopen();
        f.agrees();
    }

    @Test
    void aConnectionThatIsLostBeforeAFlushLeavesItUnknownAndTheTablesWhole() throws Exception {
        f.database.cutConnections();
        TestFlush batch = f.batch().publish(good, 5).settle(3, 0);
        StoreFailure failure = catchThrowableOfType(StoreFailure.class, () -> f.store.flush(batch.build()));
        assertThat(failure).isNotNull();
        assertThat(failure.kind()).isIn(Kind.OUTCOME_UNKNOWN, Kind.UNAVAILABLE);
        f.own();
        f.agrees();
        batch.claims.clear();
        f.batch().publish(good, 5).settle(3, 0).flush();
        f.agrees();
    }

    @Test
    void readsFindTheirWayBackAfterALostConnection() throws Exception {
        f.store.readRing(new long[] {1});
        f.database.cutConnections();
        org.awaitility.Awaitility.await().untilAsserted(() -> {
            try {
                assertThat(f.store.readRing(new long[] {1, 2})).hasSize(2);
            } catch (StoreFailure failure) {
                assertThat(failure.kind()).isEqualTo(Kind.UNAVAILABLE);
                throw new AssertionError("not yet", failure);
            }
        });
    }

    @Test
    void connectionsCutInFullFlightLoseNothingAndRepeatNothing() throws Exception {
        // A failure of the cutter, also on an engine without a network, is this test's result.
        FutureTask<Void> cut = new FutureTask<>(() -> {
            f.database.cutConnections();
            return null;
        });
        Thread cutter = new Thread(cut, "cutter");
        for (int i = 0; i < 300; i++) {
            if (i == 50) {
                cutter.start();
            }
            Flush flush = f.batch().publish(good, 3).settle(i % 20, 0).build();
            StoreFailure failure = catchThrowableOfType(StoreFailure.class, () -> f.store.flush(flush));
            if (failure == null) {
                f.model.apply(flush);
            } else {
                assertThat(failure.kind()).isIn(Kind.OUTCOME_UNKNOWN, Kind.UNAVAILABLE);
                f.own();
                if (f.store.recover(f.epoch, row -> {}).next() > f.model.next) {
                    assertThat(failure.kind()).as("it was committed").isEqualTo(Kind.OUTCOME_UNKNOWN);
                    f.model.apply(flush);
                }
                f.agrees();
            }
        }
        try {
            cut.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TestAbortedException aborted) {
                throw aborted;
            }
            throw e;
        }
        f.agrees();
    }
}
