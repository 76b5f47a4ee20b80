package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The ledger holds exactly what was settled, in the ring and in the backlog. */
abstract class SettleContract {
    private StoreFixture f;
    private AddressRow topic;

    abstract StoreFixture fixture();

    @BeforeEach
    void twoBlocksOfMessages() {
        f = fixture();
        topic = f.topic("orders", 3);
        f.publish(topic, 2048);
    }

    @Test
    void settlementsAcrossABlockBoundaryAreTwoRows() {
        f.batch().settle(1000, 1050, 0).flush();
        assertThat(f.model.ledger).hasSize(2);
        f.agrees();
    }

    @Test
    void aRowIsReplacedByTheNextImageOfItsBlock() {
        f.batch().settle(7, 1).flush();
        f.batch().settle(8, 1).settle(0, 1).settle(1023, 1).flush();
        f.reopen();
        f.agrees();
        assertThat(f.model.ledger).hasSize(1);
    }

    @Test
    void bitsAreToldApart() {
        f.batch().settle(7, 0).settle(8, 1).settle(9, 2).flush();
        f.agrees();
    }

    @Test
    void messageAndItsSettlementMayShareAFlush() {
        f.batch().publish(topic, 1).settle(2048, 0).flush();
        f.agrees();
    }

    @Test
    void theLedgerOfTheRingIsClosedBelowTheGate() {
        f.settleAll(0, 1024);
        f.reclaim(1024);
        Flush.Settlement passed = new Flush.Settlement(0, 0, new byte[RingGeometry.BLOCK_BYTES]);
        f.refused(
                Kind.CORRUPT,
                () -> f.store.flush(new Flush(
                        f.epoch, 1024, List.of(), List.of(passed), List.of(), List.of(), List.of(), Flush.UNCHANGED)));
    }

    @Test
    void theLedgerOfTheBacklogIsClosedAboveTheGate() {
        f.settleAll(0, 1024);
        f.reclaim(1024);
        Flush.BacklogSettlement ahead =
                new Flush.BacklogSettlement(topic.addressId(), 1, 0, new byte[RingGeometry.BLOCK_BYTES]);
        f.refused(
                Kind.CORRUPT,
                () -> f.store.flush(new Flush(
                        f.epoch, 1024, List.of(), List.of(), List.of(ahead), List.of(), List.of(), Flush.UNCHANGED)));
    }

    @Test
    void addressesThatShareABlockHaveALedgerEachInTheBacklog() {
        AddressRow other = f.topic("payments", 1);
        TestFlush batch = f.batch();
        for (int i = 0; i < 512; i++) {
            batch.publish(topic, 1).publish(other, 1);
        }
        batch.flush();
        f.reclaim(1024);
        f.reclaim(2048);
        f.reclaim(3072);
        f.batch().settle(2050, 0).settle(2051, 0).settle(2052, 2).settle(5, 0).flush();
        f.agrees();
        assertThat(f.store.readBacklogLedger(topic.addressId())).hasSize(3);
        assertThat(f.store.readBacklogLedger(other.addressId())).hasSize(1);
    }
}
