package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How far a subscription's copies have come becomes durable with the copies or not at all. */
abstract class ReplayContract {
    private StoreFixture f;
    private AddressRow topic;
    private SubscriptionRow first;
    private SubscriptionRow second;

    abstract StoreFixture fixture();

    @BeforeEach
    void topicWithTwoSubscriptionsThatBeganInThePast() {
        f = fixture();
        topic = f.topic("orders", 2);
        f.publish(topic, 100);
        first = f.subscription(topic, 0);
        second = f.subscription(topic, 1);
        f.alter(new CatalogChange.BeginReplay(first.subscriptionId(), 0));
        f.alter(new CatalogChange.BeginReplay(second.subscriptionId(), 40));
    }

    @Test
    void positionsComeBackWithTheCopiesTheyWereFlushedWith() {
        f.batch().publish(topic, 3).copied(first, 3).copied(second, 60).flush();
        f.batch().publish(topic, 1).copied(first, 4).flush();
        f.reopen();
        f.agrees();
        assertThat(f.model.replays.values())
                .containsExactly(
                        new ReplayRow(first.subscriptionId(), 4, false),
                        new ReplayRow(second.subscriptionId(), 60, false));
    }

    @Test
    void aSubscriptionBeginsTogetherWithItsReplay() {
        long id = f.model.nextId;
        f.alter(
                new CatalogChange.Subscribe(new SubscriptionRow(
                        id, topic.addressId(), "client", "s2", 0, 2, f.model.next, -1, null, false, false)),
                new CatalogChange.BeginReplay(id, 7));
        f.reopen();
        f.agrees();
        assertThat(f.model.replays.get(id)).isEqualTo(new ReplayRow(id, 7, false));
    }

    @Test
    void aPositionIsKeptWhereNoMessageOfAPortionWasWanted() {
        f.batch().copied(first, 100).flush();
        f.agrees();
    }

    @Test
    void whatIsWrittenAgainAsItStandsIsAccepted() {
        TestFlush batch = f.batch().copied(first, 50);
        batch.flush();
        batch.flush();
        f.agrees();
    }

    @Test
    void itGoesTogetherWithWhatIsStoredOnce() {
        ProducerRow producer = f.producer(topic, "shop-1");
        f.batch()
                .publish(topic, 2)
                .produced(producer, 2)
                .identified(topic, 0, 0, StoreFixture.body("order-1"))
                .copied(second, 99)
                .flush();
        f.reopen();
        f.agrees();
    }

    @Test
    void aPositionThatWouldGoBackIsCorruptAndStoresNothing() {
        f.batch().publish(topic, 1).copied(first, 50).flush();
        f.refused(
                Kind.CORRUPT,
                () -> f.store.flush(
                        f.batch().publish(topic, 1).copied(first, 49).build()));
    }

    @Test
    void aReplayThatIsNotThereIsCorruptAndStoresNothing() {
        SubscriptionRow fromNow = f.subscribe(topic, "from-now", 0, 2);
        f.refused(
                Kind.CORRUPT,
                () -> f.store.flush(
                        f.batch().publish(topic, 1).copied(fromNow, 50).build()));
        f.refused(
                Kind.CORRUPT,
                () -> f.store.alter(f.epoch, List.of(new CatalogChange.EndReplay(fromNow.subscriptionId()))));
    }

    @Test
    void oneThatIsOverStaysAndGetsNoCopies() {
        f.batch().publish(topic, 1).copied(first, 100).flush();
        f.alter(new CatalogChange.EndReplay(first.subscriptionId()));
        f.reopen();
        f.agrees();
        assertThat(f.model.replays.get(first.subscriptionId()))
                .isEqualTo(new ReplayRow(first.subscriptionId(), 100, true));
        f.refused(
                Kind.CORRUPT,
                () -> f.store.flush(
                        f.batch().publish(topic, 1).copied(first, 101).build()));
    }

    @Test
    void aFencedOwnerMovesNothing() {
        TestFlush batch = f.batch().publish(topic, 1).copied(first, 1);
        f.refused(Kind.FENCED, () -> f.store.flush(batch.build(f.epoch - 1, 0)));
        f.refused(
                Kind.FENCED,
                () -> f.store.alter(f.epoch - 1, List.of(new CatalogChange.EndReplay(first.subscriptionId()))));
    }

    @Test
    void aRefusedClaimTakesThePositionBack() {
        StoredMessage hole = f.batch().publish(topic, 2).claims.get(1);
        f.refused(
                Kind.CORRUPT,
                () -> f.store.flush(f.batch().claim(hole).copied(first, 1).build()));
    }

    @Test
    void itGoesWithItsSubscription() {
        f.alter(new CatalogChange.Unsubscribe(first.subscriptionId()));
        f.reopen();
        f.agrees();
        assertThat(f.model.replays).containsOnlyKeys(second.subscriptionId());
    }

    @Test
    void itGoesWithItsAddress() {
        AddressRow other = f.address("other", AddressKind.TOPIC);
        SubscriptionRow gone = f.subscribe(other, "gone", 0, 0);
        f.alter(new CatalogChange.BeginReplay(gone.subscriptionId(), 5));
        f.alter(new CatalogChange.DeleteAddress(other.addressId()));
        f.agrees();
        assertThat(f.model.replays).containsOnlyKeys(first.subscriptionId(), second.subscriptionId());
    }
}
