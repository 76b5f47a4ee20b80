package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A flush is one transaction: all of it or nothing, checked against epoch, gate and the slots it supersedes. */
abstract class CommitContract {
    private StoreFixture f;
    private AddressRow topic;

    abstract StoreFixture fixture();

    @BeforeEach
    void topicWithTwoSubscriptions() {
        f = fixture();
        topic = f.topic("orders", 2);
    }

    @Test
    void whatIsFlushedIsThereAfterReopening() {
        f.batch().publish(topic, 100).settle(0, 0).flush();
        f.batch().publish(topic, 1).settle(100, 1).settle(0, 1).flush();
        f.reopen();
        f.agrees();
    }

    @Test
    void carriesEveryKindOfChangeAtOnce() {
        f.publish(topic, 10);
        TestFlush batch = f.batch().publish(topic, 5).settle(3, 0);
        batch.failed(4, f.subscription(topic, 1).subscriptionId(), 2, 1_760_000_000_123L);
        batch.dispatchBounds.add(
                new Flush.DispatchBound(f.subscription(topic, 0).subscriptionId(), 7));
        batch.dispatchBound = 14;
        batch.flush();
        f.agrees();
    }

    @Test
    void aRedeliveryCountOfZeroRemovesItsRow() {
        long subscription = f.subscription(topic, 0).subscriptionId();
        f.batch()
                .publish(topic, 3)
                .failed(1, subscription, 1, 0)
                .failed(2, subscription, 4, 99)
                .flush();
        f.batch().failed(1, subscription, 0, 0).failed(2, subscription, 5, 0).flush();
        f.agrees();
        assertThat(f.model.redeliveries).hasSize(1);
    }

    @Test
    void aWrongEpochIsFencedAndChangesNothing() {
        f.publish(topic, 3);
        TestFlush batch = f.batch().publish(topic, 2).settle(1, 0);
        f.refused(Kind.FENCED, () -> f.store.flush(batch.build(f.epoch + 1, 0)));
        f.refused(Kind.FENCED, () -> f.store.flush(batch.build(f.epoch - 1, 0)));
    }

    @Test
    void aWrongGateIsCorruptAndChangesNothing() {
        f.publish(topic, 2048);
        f.settleAll(0, 1024);
        f.reclaim(1024);
        TestFlush batch = f.batch().publish(topic, 2).settle(1500, 0);
        f.refused(Kind.CORRUPT, () -> f.store.flush(batch.build(f.epoch, 0)));
        f.refused(Kind.CORRUPT, () -> f.store.flush(batch.build(f.epoch, 2048)));
    }

    @Test
    void aFlushWithoutClaimsStillChecksEpochAndGate() {
        f.publish(topic, 1);
        f.refused(Kind.FENCED, () -> f.store.flush(f.batch().settle(0, 0).build(f.epoch + 1, 0)));
        f.refused(Kind.CORRUPT, () -> f.store.flush(f.batch().settle(0, 0).build(f.epoch, 1024)));
    }

    @Test
    void aClaimAboveTheNextSequenceIsCorruptAndChangesNothing() {
        f.publish(topic, 3);
        StoredMessage second = f.batch().publish(topic, 2).claims.get(1);
        f.refused(Kind.CORRUPT, () -> f.store.flush(f.batch().claim(second).build()));
    }

    @Test
    void aClaimOfAStoredSequenceIsCorruptAndChangesNothing() {
        TestFlush batch = f.batch().publish(topic, 3);
        batch.flush();
        f.refused(
                Kind.CORRUPT,
                () -> f.store.flush(f.batch().claim(batch.claims.get(2)).build()));
    }

    @Test
    void aHoleBetweenClaimsIsCorruptAndChangesNothing() {
        TestFlush batch = f.batch().publish(topic, 3);
        f.refused(
                Kind.CORRUPT,
                () -> f.store.flush(f.batch()
                        .claim(batch.claims.get(0))
                        .claim(batch.claims.get(2))
                        .build()));
    }

    @Test
    void aFailedFlushDoesNotStopTheNext() {
        TestFlush batch = f.batch().publish(topic, 3);
        f.refused(Kind.FENCED, () -> f.store.flush(batch.build(f.epoch + 7, 0)));
        batch.flush();
        f.agrees();
    }

    @Test
    void anEmptyFlushChangesNothing() {
        assertThat(f.batch().build().isEmpty()).isTrue();
        f.flush(f.batch().build());
        f.agrees();
    }

    @Test
    void oneFlushCarriesMessagesOfManyAddresses() {
        TestFlush batch = f.batch();
        for (int i = 0; i < 50; i++) {
            AddressRow queue = f.address("queue-" + i, AddressKind.QUEUE);
            f.subscribe(queue, "", 0, 0);
        }
        for (AddressRow address : List.copyOf(f.model.addresses.values())) {
            batch.publish(address, 3);
        }
        batch.flush();
        f.agrees();
    }
}
