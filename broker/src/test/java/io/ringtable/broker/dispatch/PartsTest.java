package io.ringtable.broker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.PartKey;
import io.ringtable.broker.ring.ShardIds;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which part of a queue a key goes to. */
class PartsTest {
    private static final int KEYS = 10_000;

    private static Parts parts(int... shards) {
        return new Parts(
                IntStream.of(shards)
                        .mapToObj(shard -> new Address(
                                ShardIds.first(shard) + 17,
                                "orders",
                                AddressKind.QUEUE,
                                new AddressQuota(1_000, 1_000_000)))
                        .toList(),
                new AtomicInteger(),
                true);
    }

    private static int shardOf(Parts parts, int key) {
        return ShardIds.shardOf(parts.of(PartKey.of("key " + key)).id());
    }

    /** Stored messages rely on it: a change would send a key to another part than its earlier messages. */
    @Test
    void theNumberAndThePartOfAKeyNeverChange() {
        assertThat(PartKey.of("a")).isEqualTo(0xaf63dc4c8601ec8cL);
        assertThat(PartKey.of("straße")).isEqualTo(0x0360987265b28b78L).isNotEqualTo(PartKey.of("strasse"));
        assertThat(PartKey.of(new DuplicateId("a".getBytes(StandardCharsets.UTF_8))))
                .isEqualTo(PartKey.of("a"));

        Parts four = parts(0, 1, 2, 3);
        assertThat(List.of("a", "b", "c", "d", "e", "f", "g", "h"))
                .extracting(key -> four.indexOf(PartKey.of(key)))
                .containsExactly(0, 1, 2, 1, 1, 1, 0, 3);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 16})
    void manyKeysAreSpreadEvenly(int count) {
        Parts parts = parts(IntStream.range(5, 5 + count).toArray());
        int[] keys = new int[5 + count];
        for (int key = 0; key < KEYS; key++) {
            keys[shardOf(parts, key)]++;
        }
        assertThat(IntStream.of(keys).skip(5))
                .allSatisfy(
                        share -> assertThat(share).isBetween((int) (0.85 * KEYS / count), (int) (1.15 * KEYS / count)));
    }

    @Test
    void aPartThatComesTakesKeysAndNoOtherKeyMoves() {
        Parts before = parts(0, 2, 3);
        Parts after = parts(0, 1, 2, 3);
        int taken = 0;
        for (int key = 0; key < KEYS; key++) {
            int now = shardOf(after, key);
            if (now == 1) {
                taken++;
            } else {
                assertThat(now).isEqualTo(shardOf(before, key));
            }
        }
        assertThat(taken).isBetween(KEYS / 5, KEYS / 3);
    }

    @Test
    void linksHaveThePartsInTurn() {
        Parts parts = parts(0, 1, 2);
        List<Integer> links = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            links.add(parts.ofNextLink());
        }
        assertThat(links).containsExactly(0, 1, 2, 0, 1, 2, 0);
    }
}
