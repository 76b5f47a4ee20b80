package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.ring.ShardIds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The smallest ring with one topic and one subscription, driven by sequence numbers alone. */
public final class OneTopic implements AutoCloseable {
    public static final RingGeometry GEOMETRY = new RingGeometry(RingGeometry.CAPACITY_STEP);
    public static final int SEGMENT = GEOMETRY.segmentSize();
    public static final String NODE = "node-a";
    public static final Duration LEASE = Duration.ofSeconds(30);
    private static final byte[] BODY = new byte[300];

    public final RingStore store;
    public final long addressId; // the first id of the shard; the next one is the subscription's
    public long epoch;
    public long gate;
    public long next;

    private OneTopic(RingStore store, int shard) {
        this.store = store;
        this.addressId = ShardIds.first(shard);
    }

    public static OneTopic laid(RingStore store) {
        return laid(store, 0);
    }

    /** @param shard that the store was opened for */
    public static OneTopic laid(RingStore store, int shard) {
        OneTopic ring = new OneTopic(store, shard);
        ring.own();
        ring.store.alter(
                ring.epoch,
                List.of(
                        new CatalogChange.CreateAddress(
                                ring.addressId, "orders", AddressKind.TOPIC, 1_000_000, 1L << 40),
                        new CatalogChange.Subscribe(new SubscriptionRow(
                                ring.subscriptionId(), ring.addressId, "c", "s", 0, 0, 0, -1, null, false, false))));
        return ring;
    }

    public static OneTopic found(RingStore store) {
        OneTopic ring = new OneTopic(store, 0);
        ring.own();
        ring.recover();
        return ring;
    }

    public void own() {
        Ownership ownership = store.acquire(NODE, "test", LEASE, GEOMETRY);
        assertThat(ownership).isInstanceOf(Ownership.Owned.class);
        epoch = ((Ownership.Owned) ownership).epoch();
    }

    public long subscriptionId() {
        return addressId + 1;
    }

    public ShardState recover() {
        ShardState state = store.recover(epoch, row -> {});
        gate = state.gate();
        next = state.next();
        return state;
    }

    public Flush batch(int messages, Flush.Settlement... settlements) {
        List<StoredMessage> claims = new ArrayList<>(messages);
        for (int i = 0; i < messages; i++) {
            claims.add(new StoredMessage(next + i, addressId, 1_760_000_000_000L, 4, 0, 0, 0, 1, BODY, 0, BODY.length));
        }
        return new Flush(epoch, gate, claims, List.of(settlements), List.of(), List.of(), List.of(), Flush.UNCHANGED);
    }

    public void publish(int messages) {
        store.flush(batch(messages));
        next += messages;
    }

    /** Publishes a segment of messages, settles them, and lets the gate pass them. */
    public void turn() {
        publish(SEGMENT);
        settle(next - SEGMENT);
        store.reclaim(epoch, gate, gate + SEGMENT, 0);
        gate += SEGMENT;
    }

    /** Settles the whole block that begins with the sequence. */
    public void settle(long firstOfBlock) {
        byte[] all = new byte[RingGeometry.BLOCK_BYTES];
        Arrays.fill(all, (byte) 0xff);
        store.flush(batch(0, new Flush.Settlement(RingGeometry.blockOf(firstOfBlock), 0, all)));
    }

    @Override
    public void close() {
        store.close();
    }
}
