package io.ringtable.broker.store;

import io.ringtable.broker.ring.RingGeometry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A flush that is put together by name; it numbers its messages from {@code next}. */
final class TestFlush {
    private final StoreFixture fixture;
    private final StoreModel model;
    final List<StoredMessage> claims = new ArrayList<>();
    final List<Flush.Redelivery> redeliveries = new ArrayList<>();
    final List<Flush.DispatchBound> dispatchBounds = new ArrayList<>();
    private final Map<StoreModel.RingKey, byte[]> settled = new TreeMap<>();
    private final Map<StoreModel.BacklogKey, byte[]> settledInBacklog = new TreeMap<>();
    final List<Flush.Produced> producers = new ArrayList<>();
    final List<Flush.DuplicateId> duplicateIds = new ArrayList<>();
    final List<Flush.Replayed> replays = new ArrayList<>();
    long dispatchBound = Flush.UNCHANGED;

    TestFlush(StoreFixture fixture) {
        this.fixture = fixture;
        this.model = fixture.model;
    }

    TestFlush publish(AddressRow address, int count) {
        for (int i = 0; i < count; i++) {
            publish(address, StoreFixture.body(("message " + (model.next + claims.size()) + " ").repeat(12)));
        }
        return this;
    }

    TestFlush publish(AddressRow address, byte[] body) {
        return publish(address, body, 0, body.length, 0, 0, 4);
    }

    TestFlush publish(AddressRow address, byte[] body, int loginId) {
        return publish(address, body, 0, body.length, 0, 0, 4, loginId);
    }

    /** Its login is one of a few, and not always there. */
    TestFlush publish(
            AddressRow address, byte[] body, long bodyId, int bodyBytes, long expiresAt, long deliverAt, int priority) {
        int loginId = (int) ((model.next + claims.size()) % 5) - 1;
        return publish(address, body, bodyId, bodyBytes, expiresAt, deliverAt, priority, loginId);
    }

    private TestFlush publish(
            AddressRow address,
            byte[] body,
            long bodyId,
            int bodyBytes,
            long expiresAt,
            long deliverAt,
            int priority,
            int loginId) {
        long pending = 0;
        for (SubscriptionRow s : model.subscriptions.values()) {
            if (s.addressId() == address.addressId() && s.group() == 0) {
                pending |= 1L << s.bit();
            }
        }
        return claim(new StoredMessage(
                model.next + claims.size(),
                address.addressId(),
                1_760_000_000_000L + model.next + claims.size(),
                priority,
                expiresAt,
                deliverAt,
                0,
                pending,
                body,
                bodyId,
                bodyBytes,
                loginId));
    }

    TestFlush claim(StoredMessage message) {
        claims.add(message);
        return this;
    }

    /** In the ring or in the backlog, wherever the message is. */
    TestFlush settle(long sequence, int bit) {
        long block = RingGeometry.blockOf(sequence);
        if (sequence >= model.gate) {
            StoreModel.RingKey key = new StoreModel.RingKey(block, bit);
            mark(settled.computeIfAbsent(key, k -> image(model.ledger.get(k))), sequence);
        } else {
            StoreModel.BacklogKey key =
                    new StoreModel.BacklogKey(model.backlog.get(sequence).addressId(), block, bit);
            mark(settledInBacklog.computeIfAbsent(key, k -> image(model.backlogLedger.get(k))), sequence);
        }
        return this;
    }

    TestFlush settle(long fromSequence, long toSequence, int bit) {
        for (long sequence = fromSequence; sequence < toSequence; sequence++) {
            settle(sequence, bit);
        }
        return this;
    }

    TestFlush failed(long sequence, long subscriptionId, int count, long notBefore) {
        redeliveries.add(new Flush.Redelivery(sequence, subscriptionId, count, notBefore));
        return this;
    }

    TestFlush produced(ProducerRow producer, long lastNumber) {
        producers.add(new Flush.Produced(producer.producerId(), lastNumber, 1_760_000_000_000L + lastNumber));
        return this;
    }

    TestFlush identified(AddressRow address, int position, long ordinal, byte[] id) {
        duplicateIds.add(new Flush.DuplicateId(address.addressId(), position, ordinal, id));
        return this;
    }

    TestFlush copied(SubscriptionRow subscription, long position) {
        replays.add(new Flush.Replayed(subscription.subscriptionId(), position));
        return this;
    }

    Flush build() {
        return build(fixture.epoch, model.gate);
    }

    Flush build(long withEpoch, long withGate) {
        return new Flush(
                withEpoch,
                withGate,
                claims,
                settled.entrySet().stream()
                        .map(e -> new Flush.Settlement(
                                e.getKey().block(), e.getKey().bit(), e.getValue()))
                        .toList(),
                settledInBacklog.entrySet().stream()
                        .map(e -> new Flush.BacklogSettlement(
                                e.getKey().addressId(),
                                e.getKey().block(),
                                e.getKey().bit(),
                                e.getValue()))
                        .toList(),
                redeliveries,
                dispatchBounds,
                dispatchBound,
                List.of(),
                producers,
                duplicateIds,
                replays);
    }

    void flush() {
        fixture.flush(build());
    }

    private byte[] image(byte[] durable) {
        return durable == null ? new byte[RingGeometry.BLOCK_BYTES] : durable.clone();
    }

    private void mark(byte[] bitmap, long sequence) {
        int i = RingGeometry.indexInBlock(sequence);
        bitmap[i / 8] |= (byte) (1 << i % 8);
    }
}
