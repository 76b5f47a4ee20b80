package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that the facts which keep a message from being stored twice become durable with the message or not at all. */
abstract class OnceContract {
    private StoreFixture f;
    private AddressRow topic;

    abstract StoreFixture fixture();

    @BeforeEach
    void topicWithTwoSubscriptions() {
        f = fixture();
        topic = f.topic("orders", 2);
    }

    @Test
    void numbersAndIdsComeBackWithTheMessagesTheyWereFlushedWith() {
        ProducerRow first = f.producer(topic, "shop-1");
        ProducerRow second = f.producer(topic, "läden/★ \"2\" 100%");
        f.batch()
                .publish(topic, 3)
                .produced(first, 3)
                .identified(topic, 0, 0, StoreFixture.body("order-1"))
                .identified(topic, 1, 1, new byte[] {0, -1, 127, -128})
                .flush();
        f.batch()
                .publish(topic, 1)
                .produced(first, 4)
                .produced(second, 1_000_000_000_000L)
                .flush();
        f.reopen();
        f.agrees();
        assertThat(f.model.producers.get(first.producerId()).lastNumber()).isEqualTo(4);
    }

    @Test
    void aNewIdTakesThePlaceOfTheOldest() {
        f.batch()
                .publish(topic, 2)
                .identified(topic, 0, 0, StoreFixture.body("a"))
                .identified(topic, 1, 1, StoreFixture.body("b"))
                .flush();
        f.batch()
                .publish(topic, 2)
                .identified(topic, 0, 2, StoreFixture.body("c"))
                .identified(topic, 2, 3, StoreFixture.body("d"))
                .flush();
        f.reopen();
        f.agrees();
        assertThat(f.model.duplicateIds).hasSize(3);
    }

    @Test
    void idsOfManyAddressesAndTheLongestGoInOneFlush() {
        AddressRow other = f.topic("other", 1);
        TestFlush batch = f.batch().publish(topic, 1_000).publish(other, 1_000);
        byte[] longest = new byte[DuplicateId.BYTES_MAX];
        f.random.nextBytes(longest);
        batch.identified(other, 0, 0, longest);
        IntStream.range(0, 999).forEach(i -> batch.identified(topic, i, i, StoreFixture.body("order-" + i)));
        batch.flush();
        f.agrees();
    }

    @Test
    void theyAreKeptWithoutAMessage() {
        ProducerRow producer = f.producer(topic, "shop-1");
        f.batch()
                .produced(producer, 7)
                .identified(topic, 0, 0, StoreFixture.body("nobody owes it"))
                .flush();
        f.agrees();
    }

    @Test
    void whatIsWrittenAgainAsItStandsIsAccepted() {
        ProducerRow producer = f.producer(topic, "shop-1");
        TestFlush batch = f.batch().produced(producer, 7).identified(topic, 0, 5, StoreFixture.body("a"));
        batch.flush();
        batch.flush();
        f.agrees();
    }

    @Test
    void aNumberThatWouldGoBackIsCorruptAndStoresNothing() {
        ProducerRow producer = f.producer(topic, "shop-1");
        f.batch().publish(topic, 1).produced(producer, 7).flush();
        f.refused(
                Kind.CORRUPT,
                () -> f.store.flush(
                        f.batch().publish(topic, 1).produced(producer, 6).build()));
    }

    @Test
    void aProducerThatIsNotThereIsCorruptAndStoresNothing() {
        ProducerRow producer = f.producer(topic, "shop-1");
        f.alter(new CatalogChange.ForgetProducer(producer.producerId()));
        f.refused(
                Kind.CORRUPT,
                () -> f.store.flush(
                        f.batch().publish(topic, 1).produced(producer, 1).build()));
    }

    @Test
    void anIdThatWouldOverwriteAYoungerOneIsCorruptAndStoresNothing() {
        f.batch()
                .publish(topic, 1)
                .identified(topic, 0, 9, StoreFixture.body("a"))
                .flush();
        f.refused(
                Kind.CORRUPT,
                () -> f.store.flush(f.batch()
                        .publish(topic, 1)
                        .identified(topic, 0, 8, StoreFixture.body("b"))
                        .build()));
    }

    @Test
    void aFencedOwnerChangesNeitherNumberNorId() {
        ProducerRow producer = f.producer(topic, "shop-1");
        TestFlush batch =
                f.batch().publish(topic, 1).produced(producer, 1).identified(topic, 0, 0, StoreFixture.body("a"));
        f.refused(Kind.FENCED, () -> f.store.flush(batch.build(f.epoch - 1, 0)));
    }

    @Test
    void aRefusedClaimTakesItsNumberAndItsIdBack() {
        ProducerRow producer = f.producer(topic, "shop-1");
        StoredMessage second = f.batch().publish(topic, 2).claims.get(1);
        f.refused(
                Kind.CORRUPT,
                () -> f.store.flush(f.batch()
                        .claim(second)
                        .produced(producer, 1)
                        .identified(topic, 0, 0, StoreFixture.body("a"))
                        .build()));
    }

    @Test
    void aProducerIsOpenedAnewAndForgotten() {
        ProducerRow producer = f.producer(topic, "shop-1");
        f.batch().publish(topic, 1).produced(producer, 1).flush();
        f.alter(new CatalogChange.ReopenProducer(producer.producerId(), 2, 1_760_000_123_456L, null));
        f.reopen();
        f.agrees();
        f.alter(new CatalogChange.ForgetProducer(producer.producerId()));
        f.agrees();
        f.refused(
                Kind.CORRUPT,
                () -> f.store.alter(f.epoch, List.of(new CatalogChange.ForgetProducer(producer.producerId()))));
    }

    @Test
    void aProducerIsOfItsOwnerAndOneOfNobodyGetsOne() {
        ProducerRow owned = f.producer(topic, "shop-1", "läden/★ \"2\" 100%");
        ProducerRow nobodys = f.producer(topic, "shop-2");
        f.batch().publish(topic, 2).produced(owned, 1).produced(nobodys, 1).flush();
        f.reopen();
        f.agrees();
        f.alter(new CatalogChange.ReopenProducer(nobodys.producerId(), 1, 1_760_000_123_456L, "o".repeat(400)));
        f.reopen();
        f.agrees();
        assertThat(f.model.producers.get(nobodys.producerId()).owner()).hasSize(400);
    }

    @Test
    void anAddressThatMovesHereBringsItsNumbersAndIdsInOneTransaction() {
        long address = f.model.nextId;
        byte[] longest = new byte[DuplicateId.BYTES_MAX];
        f.random.nextBytes(longest);
        f.alter(
                new CatalogChange.CreateAddress(address, "läden/★", AddressKind.QUEUE, 1_000, 1 << 20),
                new CatalogChange.CreateProducer(
                        new ProducerRow(address + 2, address, "shop-1", 7, 4711, 1_760_000_123_456L, "alice")),
                new CatalogChange.KeepDuplicateIds(List.of(
                        new Flush.DuplicateId(address, 3, 17, longest),
                        new Flush.DuplicateId(address, 0, 18, new byte[] {0, -1, 127, -128}))));
        f.reopen();
        f.agrees();
        assertThat(f.model.duplicateIds).hasSize(2);
        f.batch()
                .identified(f.model.addresses.get(address), 3, 19, StoreFixture.body("next"))
                .flush();
        f.agrees();
    }

    @Test
    void aTopicThatMovesHereBringsItsSubscriptionsAsWell() {
        long address = f.model.nextId;
        f.alter(
                new CatalogChange.CreateAddress(address, "läden/topic", AddressKind.TOPIC, 1_000, 1 << 20),
                subscribe(address, 1, 0, "colour = 'rot ★'"),
                subscribe(address, 2, 62, null),
                subscribe(address, 3, 63, null),
                new CatalogChange.CreateProducer(
                        new ProducerRow(address + 4, address, "shop-1", 7, 4711, 1_760_000_123_456L, "alice")),
                new CatalogChange.KeepDuplicateIds(List.of(new Flush.DuplicateId(address, 3, 17, new byte[] {0, -1}))));
        f.reopen();
        f.agrees();
        assertThat(f.model.subscriptions).containsKeys(address + 1, address + 2, address + 3);
    }

    /** Subscribes from now on. @param place among the subscriptions of the topic */
    private CatalogChange subscribe(long address, int number, int place, String selector) {
        return new CatalogChange.Subscribe(new SubscriptionRow(
                address + number,
                address,
                "client " + number,
                "läden",
                place / RingGeometry.BITS,
                place % RingGeometry.BITS,
                f.model.next,
                Math.max(0, f.model.next - 1),
                selector,
                false,
                number > 1));
    }

    @Test
    void anIdInAPlaceThatIsTakenIsRefusedWithAllOfItsTransaction() {
        f.batch()
                .publish(topic, 1)
                .identified(topic, 0, 0, StoreFixture.body("a"))
                .flush();
        f.refused(
                Kind.REFUSED,
                () -> f.store.alter(
                        f.epoch,
                        List.of(
                                new CatalogChange.CreateAddress(f.model.nextId, "b", AddressKind.QUEUE, 1, 1),
                                new CatalogChange.KeepDuplicateIds(List.of(
                                        new Flush.DuplicateId(topic.addressId(), 0, 1, StoreFixture.body("b")))))));
    }

    @Test
    void theyGoWithTheirAddress() {
        AddressRow other = f.address("other", AddressKind.TOPIC);
        ProducerRow stays = f.producer(topic, "shop-1");
        ProducerRow goes = f.producer(other, "shop-1");
        f.batch()
                .produced(stays, 1)
                .produced(goes, 2)
                .identified(topic, 0, 0, StoreFixture.body("a"))
                .identified(other, 0, 0, StoreFixture.body("a"))
                .flush();
        f.alter(new CatalogChange.DeleteAddress(other.addressId()));
        f.agrees();
        assertThat(f.model.producers).containsOnlyKeys(stays.producerId());
        assertThat(f.model.duplicateIds).hasSize(1);
    }
}
