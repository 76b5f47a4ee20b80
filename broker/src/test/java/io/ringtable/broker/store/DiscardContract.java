package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.store.StoreFailure.Kind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that messages which are over leave the backlog, by address and range, with the ledger of the blocks that they
 * empty.
 */
abstract class DiscardContract {
    private StoreFixture f;
    private AddressRow topic;
    private AddressRow other;

    abstract StoreFixture fixture();

    @BeforeEach
    void aBacklogOfTwoAddresses() {
        f = fixture();
        topic = f.topic("orders", 2);
        other = f.topic("payments", 1);
        for (int half = 0; half < 2; half++) { // within the smallest flushMessagesMax of all engines
            TestFlush batch = f.batch();
            for (int i = 0; i < 512; i++) {
                batch.publish(topic, 1).publish(other, 1);
            }
            batch.flush();
        }
        f.reclaim(1024);
        f.reclaim(2048);
    }

    @Test
    void onlyWhatNobodyOwesGoes() {
        TestFlush batch = f.batch();
        for (long sequence = 0; sequence < 1024; sequence += 2) {
            batch.settle(sequence, 0);
            if (sequence % 4 == 0) {
                batch.settle(sequence, 1);
            }
        }
        batch.flush();
        assertThat(f.discard(topic, 0, 2048)).isEqualTo(f.model.summary(topic.addressId()));
        assertThat(f.model.summary(topic.addressId()).messages()).isEqualTo(1024 - 256);
        f.agrees();
        f.reopen();
        f.agrees();
    }

    @Test
    void theRangeIsKept() {
        f.batch().settle(1, 0).settle(3, 0).settle(5, 0).settle(7, 0).flush();
        f.discard(other, 3, 7);
        assertThat(f.model.backlog).containsKeys(1L, 7L).doesNotContainKeys(3L, 5L);
        f.agrees();
    }

    @Test
    void theLedgerOfAnEmptiedBlockGoesWithIt() {
        TestFlush batch = f.batch();
        for (long sequence = 1; sequence < 2048; sequence += 2) {
            batch.settle(sequence, 0);
        }
        batch.flush();
        f.discard(other, 0, 1024);
        assertThat(f.store.readBacklogLedger(other.addressId())).hasSize(1);
        assertThat(f.discard(other, 1024, 2048))
                .isEqualTo(new ShardState.BacklogSummary(other.addressId(), 0, 0, 0, 0, 0, 0));
        assertThat(f.store.readBacklogLedger(other.addressId())).isEmpty();
        f.agrees();
    }

    @Test
    void theLedgerStaysWhileABlockHasARowLeft() {
        TestFlush batch = f.batch();
        for (long sequence = 1; sequence < 1023; sequence += 2) {
            batch.settle(sequence, 0);
        }
        batch.flush();
        f.discard(other, 0, 2048);
        assertThat(f.store.readBacklogLedger(other.addressId())).hasSize(1);
        f.agrees();
    }

    @Test
    void whatNoLiveSubscriptionOwesGoes() {
        f.alter(new CatalogChange.Purge(f.subscription(topic, 0).subscriptionId(), 500));
        f.alter(new CatalogChange.Unsubscribe(f.subscription(topic, 1).subscriptionId()));
        f.subscribe(topic, "successor", 0, 1);
        f.discard(topic, 0, 2048);
        assertThat(f.model.summary(topic.addressId()).firstSequence()).isEqualTo(500);
        f.agrees();
    }

    @Test
    void theBacklogOfADeletedAddressGoes() {
        f.alter(new CatalogChange.DeleteAddress(topic.addressId()));
        assertThat(f.discard(topic, 0, 2048).messages()).isZero();
        f.agrees();
    }

    @Test
    void whereNothingIsOverNothingChanges() {
        assertThat(f.discard(topic, 0, 2048)).isEqualTo(f.model.summary(topic.addressId()));
        AddressRow empty = f.address("empty", AddressKind.QUEUE);
        assertThat(f.discard(empty, 0, 2048))
                .isEqualTo(new ShardState.BacklogSummary(empty.addressId(), 0, 0, 0, 0, 0, 0));
        f.agrees();
    }

    @Test
    void theSummaryForgetsDueTimesOfWhatHasGone() {
        byte[] body = StoreFixture.body("due");
        f.batch()
                .publish(other, body, 0, body.length, 7_000, 5_000, 4)
                .publish(other, body, 0, body.length, 9_000, 0, 4)
                .flush();
        f.publish(topic, 1022);
        f.reclaim(3072);
        f.batch().settle(2048, 0).flush();
        assertThat(f.discard(other, 2048, 3072)).satisfies(left -> {
            assertThat(left.firstExpiresAt()).isEqualTo(9_000);
            assertThat(left.firstDeliverAt()).isZero();
        });
        f.agrees();
    }

    @Test
    void aFormerOwnerDiscardsNothing() {
        f.batch().settle(1, 0).flush();
        f.refused(Kind.FENCED, () -> f.store.discard(f.epoch - 1, other.addressId(), 0, 2048));
    }
}
