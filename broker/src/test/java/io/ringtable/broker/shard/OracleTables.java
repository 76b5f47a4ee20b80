package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.ring.Bitmap;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.store.SubscriptionRow;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The store's tables, read without any of the broker's own arithmetic. */
record OracleTables(ShardState state, TreeMap<Long, StoredMessage> ring, Map<Long, TreeSet<Long>> owed) {
    static OracleTables read(SteppedShard shard) {
        List<Long> sequences = new ArrayList<>();
        List<StoredMessage> rows = new ArrayList<>();
        ShardState state = shard.store.recover(shard.state.epoch(), row -> {
            sequences.add(row.message().sequence());
            rows.add(row.message());
        });
        TreeMap<Long, StoredMessage> ring = new TreeMap<>();
        shard.store
                .readRing(sequences.stream().mapToLong(Long::longValue).toArray())
                .forEach(row -> ring.put(row.sequence(), row));
        Map<Long, TreeSet<Long>> owed = new HashMap<>();
        for (SubscriptionRow s : state.subscriptions()) {
            TreeSet<Long> sequencesOwed = new TreeSet<>();
            for (StoredMessage row :
                    shard.store.readBacklog(s.addressId(), s.group(), s.bit(), -1, Integer.MAX_VALUE, Long.MAX_VALUE)) {
                assertThat(row.sequence()).as("the backlog lies below the gate").isLessThan(state.gate());
                if (row.sequence() >= s.fromSequence()) {
                    sequencesOwed.add(row.sequence());
                }
            }
            for (StoredMessage row : rows) {
                if (row.addressId() == s.addressId()
                        && row.group() == s.group()
                        && row.sequence() >= s.fromSequence()
                        && (row.pending() >> s.bit() & 1) == 1
                        && !isSettled(state, row.sequence(), s.bit())) {
                    sequencesOwed.add(row.sequence());
                }
            }
            owed.put(s.subscriptionId(), sequencesOwed);
        }
        return new OracleTables(state, ring, owed);
    }

    private static boolean isSettled(ShardState state, long sequence, int bit) {
        for (Flush.Settlement line : state.settlements()) {
            if (line.block() == RingGeometry.blockOf(sequence) && line.bit() == bit) {
                return Bitmap.get(line.settled(), sequence);
            }
        }
        return false;
    }

    /** By each of them, and nothing else. */
    void requireOwed(Collection<OwedModel> readings) {
        for (OwedModel reading : readings) {
            TreeSet<Long> now = owed.getOrDefault(reading.id, new TreeSet<>());
            assertThat(difference(now, reading.owed))
                    .as("in the tables and not owed by %s", reading)
                    .isEmpty();
            assertThat(difference(reading.owed, now))
                    .as("owed by %s and not in the tables", reading)
                    .isEmpty();
        }
    }

    private static Set<Long> difference(TreeSet<Long> these, TreeSet<Long> those) {
        Set<Long> difference = new TreeSet<>(these);
        difference.removeAll(those);
        return difference;
    }
}
