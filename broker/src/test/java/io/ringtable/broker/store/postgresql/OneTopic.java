package io.ringtable.broker.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.AddressKind;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.store.SubscriptionRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The smallest ring with one topic and one subscription, driven by sequence numbers alone. */
final class OneTopic implements AutoCloseable {
    static final RingGeometry GEOMETRY = new RingGeometry(RingGeometry.CAPACITY_STEP);
    static final int SEGMENT = GEOMETRY.segmentSize();
    static final String NODE = "node-a";
    static final Duration LEASE = Duration.ofSeconds(30);
    private static final byte[] BODY = new byte[300];

    final RingStore store;
    long epoch;
    long gate;
    long next;

    private OneTopic(RingStore store) {
        this.store = store;
    }

    static OneTopic laid(RingStore store) {
        OneTopic ring = new OneTopic(store);
        ring.own();
        ring.store.alter(
                ring.epoch,
                List.of(
                        new CatalogChange.CreateAddress(0, "orders", AddressKind.TOPIC, 1_000_000, 1L << 40),
                        new CatalogChange.Subscribe(new SubscriptionRow(1, 0, "c", "s", 0, 0, 0, -1, null, false))));
        return ring;
    }

    static OneTopic found(RingStore store) {
        OneTopic ring = new OneTopic(store);
        ring.own();
        ring.recover();
        return ring;
    }

    void own() {
        Ownership ownership = store.acquire(NODE, "test", LEASE, GEOMETRY);
        assertThat(ownership).isInstanceOf(Ownership.Owned.class);
        epoch = ((Ownership.Owned) ownership).epoch();
    }

    ShardState recover() {
        ShardState state = store.recover(epoch, row -> {});
        gate = state.gate();
        next = state.next();
        return state;
    }

    Flush batch(int messages, Flush.Settlement... settlements) {
        List<StoredMessage> claims = new ArrayList<>(messages);
        for (int i = 0; i < messages; i++) {
            claims.add(new StoredMessage(next + i, 0, 1_760_000_000_000L, 4, 0, 0, 0, 1, BODY, 0, BODY.length));
        }
        return new Flush(epoch, gate, claims, List.of(settlements), List.of(), List.of(), List.of(), Flush.UNCHANGED);
    }

    void publish(int messages) {
        store.flush(batch(messages));
        next += messages;
    }

    /** Publishes a segment of messages, settles them, and lets the gate pass them. */
    void turn() {
        publish(SEGMENT);
        settle(next - SEGMENT);
        store.reclaim(epoch, gate, gate + SEGMENT, 0);
        gate += SEGMENT;
    }

    /** Settles the whole block that begins with the sequence. */
    void settle(long firstOfBlock) {
        byte[] all = new byte[RingGeometry.BLOCK_BYTES];
        Arrays.fill(all, (byte) 0xff);
        store.flush(batch(0, new Flush.Settlement(RingGeometry.blockOf(firstOfBlock), 0, all)));
    }

    @Override
    public void close() {
        store.close();
    }
}
