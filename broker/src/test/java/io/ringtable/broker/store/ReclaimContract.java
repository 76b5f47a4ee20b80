package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reclaim moves what is owed and nothing else, or nothing at all. */
abstract class ReclaimContract {
    private StoreFixture f;
    private AddressRow topic;

    abstract StoreFixture fixture();

    @BeforeEach
    void oneSegmentAndABit() {
        f = fixture();
        topic = f.topic("orders", 2);
        f.publish(topic, 2500);
    }

    @Test
    void nothingMovesWhereEverythingIsSettled() {
        f.settleAll(0, 1024);
        assertThat(f.reclaim(1024)).isEmpty();
        assertThat(f.model.backlog).isEmpty();
        f.agrees();
    }

    @Test
    void exactlyWhatIsOwedMovesWithTheBitsThatOweIt() {
        f.batch().settle(0, 1024, 0).settle(0, 1000, 1).settle(1001, 1020, 1).flush();
        List<ShardState.BacklogSummary> grown = f.reclaim(1024);
        assertThat(f.model.backlog.keySet()).containsExactly(1000L, 1020L, 1021L, 1022L, 1023L);
        assertThat(grown).containsExactly(f.model.summary(topic.addressId()));
        f.agrees();
        f.reopen();
        f.agrees();
    }

    @Test
    void everythingMovesWhereNothingIsSettled() {
        f.reclaim(1024);
        f.reclaim(2048 - 1024 + 1024);
        assertThat(f.model.backlog).hasSize(2048);
        f.agrees();
    }

    @Test
    void theCallersCountMustBeTheTables() {
        f.batch().settle(0, 1020, 0).settle(0, 1020, 1).flush();
        f.refused(Kind.CORRUPT, () -> f.store.reclaim(f.epoch, 0, 1024, 0));
        f.refused(Kind.CORRUPT, () -> f.store.reclaim(f.epoch, 0, 1024, 3));
        f.refused(Kind.CORRUPT, () -> f.store.reclaim(f.epoch, 0, 1024, 5));
        f.reclaim(1024);
        f.agrees();
    }

    @Test
    void anOwedMessageThatTheCallerExpectsIsFoundBesideSettledOnes() {
        f.settleAll(0, 1024);
        f.refused(Kind.CORRUPT, () -> f.store.reclaim(f.epoch, 0, 1024, 1));
    }

    @Test
    void aWrongEpochOrGateChangesNothing() {
        f.settleAll(0, 2048);
        f.refused(Kind.FENCED, () -> f.store.reclaim(f.epoch + 1, 0, 1024, 0));
        f.refused(Kind.CORRUPT, () -> f.store.reclaim(f.epoch, 1024, 2048, 0));
    }

    @Test
    void aGateIsTheFirstOfABlockAtMostASegmentAheadAndNotBeyondTheMessages() {
        f.settleAll(0, 2500);
        f.refused(Kind.CORRUPT, () -> f.store.reclaim(f.epoch, 0, 1000, 0));
        f.refused(Kind.CORRUPT, () -> f.store.reclaim(f.epoch, 0, 2048, 0));
        f.reclaim(1024);
        f.refused(Kind.CORRUPT, () -> f.store.reclaim(f.epoch, 1024, 0, 0));
        f.reclaim(2048);
        f.refused(Kind.CORRUPT, () -> f.store.reclaim(f.epoch, 2048, 3072, 0));
    }

    @Test
    void theBitsOfASubscriptionThatHasGoneDoNotCount() {
        f.batch().settle(0, 1024, 0).flush();
        f.alter(new CatalogChange.Unsubscribe(f.subscription(topic, 1).subscriptionId()));
        assertThat(f.model.owedBelow(1024)).isZero();
        assertThat(f.reclaim(1024)).isEmpty();
        f.agrees();
    }

    @Test
    void aSubscriptionThatTakesOverABitOwesNothingOfItsPredecessor() {
        f.batch().settle(0, 1024, 0).flush();
        f.alter(new CatalogChange.Unsubscribe(f.subscription(topic, 1).subscriptionId()));
        f.subscribe(topic, "successor", 0, 1);
        f.publish(topic, 1000);
        f.reclaim(1024);
        assertThat(f.model.backlog).isEmpty();
        f.batch().settle(1024, 3072, 0).flush();
        f.reclaim(2048);
        f.reclaim(3072);
        assertThat(f.model.backlog).hasSize(3072 - 2500);
        f.agrees();
    }

    @Test
    void whatIsPurgedIsNotMoved() {
        f.batch().settle(0, 1024, 0).flush();
        f.alter(new CatalogChange.Purge(f.subscription(topic, 1).subscriptionId(), 1000));
        f.reclaim(1024);
        assertThat(f.model.backlog).hasSize(24);
        f.agrees();
    }

    @Test
    void theMessagesOfADeletedAddressAreNotMoved() {
        AddressRow kept = f.address("kept", AddressKind.QUEUE);
        f.subscribe(kept, "", 0, 5);
        f.batch().publish(kept, 600).flush();
        f.alter(new CatalogChange.DeleteAddress(topic.addressId()));
        f.reclaim(1024);
        f.reclaim(2048);
        assertThat(f.model.backlog).isEmpty();
        f.reclaim(3072);
        assertThat(f.model.backlog).hasSize(3072 - 2500);
        f.agrees();
    }

    @Test
    void groupsOfOneAddressAreToldApart() {
        AddressRow wide = f.address("wide", AddressKind.TOPIC);
        f.subscribe(wide, "in the first group", 0, 3);
        f.subscribe(wide, "in the second group", 1, 3);
        TestFlush batch = f.batch();
        for (int group = 0; group < 2; group++) {
            byte[] body = StoreFixture.body("group " + group);
            batch.claim(new StoredMessage(
                    2500 + group, wide.addressId(), 1, 4, 0, 0, group, 1L << 3, body, 0, body.length));
        }
        batch.flush();
        f.publish(topic, 1000);
        f.settleAll(0, 2500);
        f.batch().settle(2500, 3).flush();
        f.settleAll(2502, 3500);
        f.reclaim(1024);
        f.reclaim(2048);
        f.reclaim(3072);
        assertThat(f.model.backlog.keySet()).containsExactly(2501L);
        f.agrees();
        f.batch().settle(2501, 3).flush();
        f.agrees();
    }

    @Test
    void theSummaryKnowsTheEarliestDueTimes() {
        TestFlush batch = f.batch();
        byte[] body = StoreFixture.body("due");
        batch.publish(topic, body, 0, body.length, 0, 5_000, 4);
        batch.publish(topic, body, 0, body.length, 9_000, 0, 4);
        batch.publish(topic, body, 0, body.length, 7_000, 6_000, 4);
        batch.publish(topic, body, 0, body.length, 0, 0, 4).flush();
        f.publish(topic, 2000);
        f.settleAll(0, 2500);
        f.reclaim(1024);
        f.reclaim(2048);
        ShardState.BacklogSummary summary = f.reclaim(3072).get(0);
        assertThat(summary.firstExpiresAt()).isEqualTo(7_000);
        assertThat(summary.firstDeliverAt()).isEqualTo(5_000);
        assertThat(f.reclaim(4096)).containsExactly(f.model.summary(topic.addressId()));
        f.agrees();
    }

    @Test
    void redeliveriesSurviveTheMove() {
        f.batch().failed(3, f.subscription(topic, 0).subscriptionId(), 2, 17).flush();
        f.reclaim(1024);
        f.agrees();
    }
}
