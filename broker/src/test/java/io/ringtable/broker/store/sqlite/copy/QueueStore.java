package io.ringtable.broker.store.sqlite.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.store.SubscriptionRow;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.sqlite.SqliteFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/** A store in a data directory, with one queue, of which a test is the broker. Thread: the test's. */
final class QueueStore implements AutoCloseable {
    private static final RingGeometry GEOMETRY = new RingGeometry(RingGeometry.CAPACITY_STEP);
    private static final int BODY_BYTES = 4_000;

    private final Path data;
    private final int shard;
    private final RingStore store;
    private final long epoch;
    private long next;

    QueueStore(Path data) {
        this(data, 0);
    }

    QueueStore(Path data, int shard) {
        this.data = data;
        this.shard = shard;
        store = RingStores.open(StoreSettings.embedded(data).ofShard(shard));
        epoch = ((Ownership.Owned) store.acquire("node", "test", Duration.ofSeconds(30), GEOMETRY)).epoch();
        ShardState state = store.recover(epoch, row -> {});
        next = state.next();
        if (state.addresses().isEmpty()) {
            store.alter(
                    epoch,
                    List.of(
                            new CatalogChange.CreateAddress(
                                    addressId(), "orders", AddressKind.QUEUE, 1_000_000, 1L << 40),
                            new CatalogChange.Subscribe(new SubscriptionRow(
                                    addressId() + 1, addressId(), "", "", 0, 0, 0, -1, null, false, true))));
        }
    }

    Path data() {
        return data;
    }

    RingStore store() {
        return store;
    }

    long epoch() {
        return epoch;
    }

    /** Returns how many messages were ever published. */
    long next() {
        return next;
    }

    Path file() {
        return SqliteFile.ofShard(data.resolve("ringtable.db"), shard);
    }

    private long addressId() {
        return ShardIds.first(shard);
    }

    void publish(int count) {
        publish(count, epoch);
    }

    void publish(int count, long underEpoch) {
        List<StoredMessage> claims = new ArrayList<>();
        for (long n = next; n < next + count; n++) {
            claims.add(new StoredMessage(n, addressId(), 1, 4, 0, 0, 0, 1, body(n), 0, BODY_BYTES));
        }
        store.flush(new Flush(underEpoch, 0, claims, List.of(), List.of(), List.of(), List.of(), Flush.UNCHANGED));
        next += count;
    }

    /** Every message below the number is there with its body, and no other. */
    void hasExactly(long messages) {
        List<Long> found = new ArrayList<>();
        assertThat(store.recover(epoch, row -> found.add(row.message().sequence()))
                        .next())
                .isEqualTo(messages);
        assertThat(found).isEqualTo(LongStream.range(0, messages).boxed().toList());
        for (StoredMessage message :
                store.readRing(LongStream.range(0, messages).toArray())) {
            assertThat(message.body()).isEqualTo(body(message.sequence()));
        }
    }

    private static byte[] body(long number) {
        byte[] body = new byte[BODY_BYTES];
        Arrays.fill(body, (byte) number);
        byte[] text = ("message " + number).getBytes(StandardCharsets.UTF_8);
        System.arraycopy(text, 0, body, 0, text.length);
        return body;
    }

    @Override
    public void close() {
        store.close();
    }
}
