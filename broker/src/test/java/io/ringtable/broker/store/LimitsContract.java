package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The smallest and the largest of everything that the port admits. */
abstract class LimitsContract {
    private StoreFixture f;

    abstract StoreFixture fixture();

    @BeforeEach
    void anOwnedShard() {
        f = fixture();
    }

    @Test
    void bodiesFromEmptyToTheLargestThatASlotHolds() {
        AddressRow topic = f.topic("orders", 1);
        int max = f.store.limits().inlineBytesMax();
        TestFlush batch = f.batch();
        for (int length : new int[] {0, 1, 2, 3, 255, 256, 257, 1999, 4095, 4097, max - 1, max}) {
            byte[] body = new byte[Math.min(length, max)];
            f.random.nextBytes(body);
            batch.publish(topic, body);
        }
        batch.flush();
        f.publish(topic, 1024);
        f.agrees();
        f.reclaim(1024);
        f.reopen();
        f.agrees();
    }

    @Test
    void everyByteValueComesBack() {
        AddressRow topic = f.topic("orders", 1);
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        f.batch().publish(topic, all).flush();
        f.agrees();
    }

    @Test
    void factsAtTheirBoundsComeBack() {
        AddressRow topic = f.topic("orders", 63);
        byte[] body = StoreFixture.body("x");
        f.store.stage(f.epoch, Long.MAX_VALUE, new byte[3]);
        long latest = 253_402_300_799_999L; // the last millisecond of the year 9999
        f.batch()
                .publish(topic, body, 0, 1, latest, latest, 9)
                .publish(topic, body, 0, 1, 1, 1, 0)
                .publish(topic, null, Long.MAX_VALUE, 3, 0, 0, 4)
                .flush();
        assertThat(f.model.ring.get(0L).pending()).isEqualTo(Long.MAX_VALUE);
        f.batch().settle(0, 0).settle(0, 62).settle(1, 31).flush();
        f.agrees();
        f.publish(topic, 1021);
        f.reclaim(1024);
        f.reopen();
        f.agrees();
    }

    @Test
    void namesOfEveryScriptAndLength() {
        String[] names = {
            "a",
            "A",
            "orders.eu",
            "naïve café",
            "Straße",
            "сообщения",
            "注文キュー",
            "😀🚀",
            "it's \"quoted\"",
            "100% _wild_ \\ [x]",
            "; DROP TABLE slot; --",
            "é",
            "e\u0301",
            "x".repeat(400),
            "語".repeat(400)
        };
        for (String name : names) {
            AddressRow address = f.address(name, AddressKind.TOPIC);
            f.alter(new CatalogChange.Subscribe(new SubscriptionRow(
                    f.model.nextId,
                    address.addressId(),
                    name,
                    name,
                    0,
                    0,
                    0,
                    -1,
                    "name = '" + name + "'",
                    false,
                    true)));
        }
        f.reopen();
        f.agrees();
    }

    @Test
    void aQueueAndATopicMayShareAName() {
        f.address("orders", AddressKind.QUEUE);
        f.address("orders", AddressKind.TOPIC);
        f.agrees();
    }

    @Test
    void theLargestBatchFitsAndALargerOneIsRefused() {
        AddressRow topic = f.topic("orders", 10);
        int max = f.store.limits().flushMessagesMax();
        assertThat(max).isBetween(2000, f.model.capacity);
        f.refused(
                Kind.REFUSED,
                () -> f.store.flush(f.batch().publish(topic, max + 1).build()));
        TestFlush largest = f.batch().publish(topic, max);
        for (int bit = 0; bit < 10; bit++) {
            largest.settle(0, max, bit);
        }
        largest.flush();
        f.agrees();
    }

    @Test
    void aMessageThatNobodyOwesIsRefused() {
        AddressRow topic = f.topic("orders", 1);
        byte[] body = StoreFixture.body("nobody's");
        f.refused(
                Kind.REFUSED,
                () -> f.store.flush(f.batch()
                        .claim(new StoredMessage(0, topic.addressId(), 1, 4, 0, 0, 0, 0, body, 0, body.length))
                        .build()));
    }

    @Test
    void theEngineSaysWhatItIs() {
        StoreLimits limits = f.store.limits();
        assertThat(limits.engine()).matches(".+ \\d+.*");
        assertThat(limits.inlineBytesMax()).isGreaterThanOrEqualTo(1024);
        assertThat(limits.logBlockBytes()).isPositive();
    }

    @Test
    void manyAddressesAndSubscriptionsFitIntoOneChange() {
        List<CatalogChange> changes = new java.util.ArrayList<>();
        long first = f.model.nextId;
        for (long id = first; id < first + 2000; id += 2) {
            changes.add(new CatalogChange.CreateAddress(id, "queue-" + id, AddressKind.QUEUE, 1, 1));
            changes.add(new CatalogChange.Subscribe(
                    new SubscriptionRow(id + 1, id, "", "", 0, 0, 0, -1, null, false, true)));
        }
        f.alter(changes.toArray(CatalogChange[]::new));
        f.agrees();
    }
}
