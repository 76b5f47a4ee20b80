package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The ring comes round, many times.
 * <p>
 * Invariants checked: {@code gate <= next <= gate + capacity}; everything owed below the gate is in the backlog and
 * nowhere else; nothing is overwritten while it is owed. A failure names its seed.
 */
abstract class WrapContract {
    private StoreFixture f;

    abstract StoreFixture fixture();

    @Test
    void aSlotIsNotClaimedBeforeTheGateHasPassedIt() {
        f = fixture();
        AddressRow topic = f.topic("orders", 1);
        f.publish(topic, f.model.capacity);
        f.refused(Kind.CORRUPT, () -> f.store.flush(f.batch().publish(topic, 1).build()));
        f.settleAll(0, 1024);
        f.refused(Kind.CORRUPT, () -> f.store.flush(f.batch().publish(topic, 1).build()));
        f.reclaim(1024);
        f.publish(topic, 1024);
        f.refused(Kind.CORRUPT, () -> f.store.flush(f.batch().publish(topic, 1).build()));
    }

    @Test
    void aBatchMayCrossTheTurnOfTheRing() {
        f = fixture();
        AddressRow topic = f.topic("orders", 1);
        f.publish(topic, f.model.capacity - 10);
        f.settleAll(0, 1024);
        f.reclaim(1024);
        f.batch()
                .publish(topic, 25)
                .settle(f.model.capacity - 10, f.model.capacity + 25, 0)
                .flush();
        f.agrees();
        f.reopen();
        f.agrees();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 20_261_121})
    void manyLapsUnderRandomLoadAgreeWithTheModel(long seed) {
        f = fixture();
        Load load = new Load(new Random(seed));
        long laps = 3;
        long checkAt = f.model.capacity / 2;
        while (f.model.next < laps * f.model.capacity + 100) {
            load.step();
            if (f.model.next >= checkAt) {
                assertThat(f.model.next).as("seed %d", seed).isBetween(f.model.gate, f.model.gate + f.model.capacity);
                f.agrees();
                checkAt += f.model.capacity;
                if (load.random.nextBoolean()) {
                    f.reopen();
                }
            }
        }
        f.agrees();
    }

    /** A committer that does one thing after the other, by chance. */
    private final class Load {
        private final Random random;
        private final List<AddressRow> addresses = new ArrayList<>();
        private int names;

        Load(Random random) {
            this.random = random;
            addresses.add(f.address("queue", AddressKind.QUEUE));
            f.subscribe(addresses.get(0), "", 0, 0);
            for (int i = 0; i < 3; i++) {
                addresses.add(f.topic("topic-" + i, 1 + 3 * i));
            }
        }

        void step() {
            flush();
            switch (random.nextInt(12)) {
                case 0 -> subscribe();
                case 1 -> unsubscribe();
                case 2 -> purge();
                case 3, 4 -> discard();
                default -> {}
            }
            // Room for the largest batch is made before it is needed; what is owed by then moves.
            while (f.model.next + 700 > f.model.gate + f.model.capacity) {
                f.reclaim(f.model.gate + 1024);
            }
        }

        private void flush() {
            TestFlush batch = f.batch();
            int count = 1 + random.nextInt(random.nextInt(10) == 0 ? 600 : 60);
            for (int i = 0; i < count; i++) {
                AddressRow address = addresses.get(random.nextInt(addresses.size()));
                if (f.model.subscriptions.values().stream().anyMatch(s -> s.addressId() == address.addressId())) {
                    byte[] body = new byte[random.nextInt(500)];
                    random.nextBytes(body);
                    long expiresAt = random.nextInt(20) == 0 ? 1 + random.nextInt(9_999) : 0;
                    long deliverAt = random.nextInt(20) == 0 ? 1 + random.nextInt(9_999) : 0;
                    batch.publish(address, body, 0, body.length, expiresAt, deliverAt, random.nextInt(10));
                }
            }
            settle(batch, f.model.ring.values(), 9);
            settle(batch, f.model.backlog.values(), 5);
            if (!batch.build().isEmpty()) {
                batch.flush();
            }
        }

        /** Of ten messages so many, not always for everybody. */
        private void settle(TestFlush batch, Iterable<StoredMessage> messages, int ofTen) {
            int most = 400;
            for (StoredMessage m : messages) {
                long left = f.model.owed(m);
                if (left != 0 && random.nextInt(10) < ofTen && random.nextInt(4) > 0) {
                    for (long bits = left; bits != 0; bits &= bits - 1) {
                        if (random.nextInt(8) > 0) {
                            batch.settle(m.sequence(), Long.numberOfTrailingZeros(bits));
                        }
                    }
                    if (--most == 0) {
                        return;
                    }
                }
            }
        }

        private void subscribe() {
            AddressRow topic = addresses.get(1 + random.nextInt(addresses.size() - 1));
            for (int bit = 0; bit < 8; bit++) {
                int wanted = bit;
                if (f.model.subscriptions.values().stream()
                        .noneMatch(s -> s.addressId() == topic.addressId() && s.bit() == wanted)) {
                    f.subscribe(topic, "later-" + names++, 0, bit);
                    return;
                }
            }
        }

        private void unsubscribe() {
            one().filter(s -> !s.name().isEmpty())
                    .ifPresent(s -> f.alter(new CatalogChange.Unsubscribe(s.subscriptionId())));
        }

        private void purge() {
            long from = Math.max(0, f.model.next - random.nextInt(2_000));
            one().filter(s -> s.fromSequence() < from)
                    .ifPresent(s -> f.alter(new CatalogChange.Purge(s.subscriptionId(), from)));
        }

        private void discard() {
            AddressRow address = addresses.get(random.nextInt(addresses.size()));
            long from = random.nextInt(3) > 0 ? 0 : random.nextInt((int) f.model.gate + 1);
            assertThat(f.discard(address, from, f.model.gate)).isEqualTo(f.model.summary(address.addressId()));
        }

        private java.util.Optional<SubscriptionRow> one() {
            List<SubscriptionRow> all = new ArrayList<>(f.model.subscriptions.values());
            return all.isEmpty()
                    ? java.util.Optional.empty()
                    : java.util.Optional.of(all.get(random.nextInt(all.size())));
        }
    }
}
