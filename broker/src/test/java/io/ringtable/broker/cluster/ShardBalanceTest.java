package io.ringtable.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Invariants checked for many numbers of nodes and shards, from many beginnings. Handovers come to an end. Each moves
 * the numbers closer together. At the end no two nodes differ by more than one.
 */
class ShardBalanceTest {
    private static final int BEGINNINGS = 200;

    private final Map<Integer, String> owners = new TreeMap<>();

    private static List<String> nodes(int count) {
        return IntStream.range(0, count).mapToObj(i -> "node " + i).toList();
    }

    private long owned(String node) {
        return owners.values().stream().filter(node::equals).count();
    }

    private long difference(List<String> nodes) {
        return nodes.stream().mapToLong(this::owned).max().orElseThrow()
                - nodes.stream().mapToLong(this::owned).min().orElseThrow();
    }

    /** Lets nodes give in any order until nobody gives. @return how many were given */
    private int giveAll(List<String> nodes, int shards, Random random) {
        for (int given = 0; ; given++) {
            List<String> ready = new ArrayList<>(nodes);
            ready.removeIf(node -> gift(nodes, shards, node).isEmpty());
            if (ready.isEmpty()) {
                return given;
            }
            String giver = ready.get(random.nextInt(ready.size()));
            ShardBalance.Gift gift = gift(nodes, shards, giver).orElseThrow();
            assertThat(owned(giver) - owned(gift.to())).isGreaterThanOrEqualTo(2);
            assertThat(owners.put(gift.shard(), gift.to())).isEqualTo(giver);
        }
    }

    private Optional<ShardBalance.Gift> gift(List<String> nodes, int shards, String giver) {
        return new ShardBalance(nodes, owners, shards).gift(giver, (shard, to) -> false);
    }

    @ParameterizedTest
    @CsvSource({"1,1", "1,6", "2,1", "2,6", "3,6", "4,6", "3,7", "5,3", "6,64", "7,64"})
    void numbersComeTogetherWhoeverHasWhat(int count, int shards) {
        List<String> nodes = nodes(count);
        Random random = new Random(count * 100L + shards);
        for (int beginning = 0; beginning < BEGINNINGS; beginning++) {
            IntStream.range(0, shards).forEach(shard -> owners.put(shard, nodes.get(random.nextInt(count))));

            assertThat(giveAll(nodes, shards, random)).isLessThan(shards);
            assertThat(difference(nodes)).isLessThanOrEqualTo(1);

            String dead = nodes.get(random.nextInt(count)); // others take its shards, and it comes back with none
            List<String> left =
                    nodes.stream().filter(node -> !node.equals(dead)).toList();
            if (!left.isEmpty()) {
                owners.replaceAll((shard, owner) -> owner.equals(dead) ? left.get(random.nextInt(left.size())) : owner);
                giveAll(left, shards, random);
                assertThat(difference(left)).isLessThanOrEqualTo(1);
                giveAll(nodes, shards, random);
                assertThat(difference(nodes)).isLessThanOrEqualTo(1);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"3,6", "4,9"})
    void nobodyGivesWhileAShardIsFree(int count, int shards) {
        List<String> nodes = nodes(count);
        IntStream.range(0, shards - 1).forEach(shard -> owners.put(shard, nodes.get(0)));
        assertThat(gift(nodes, shards, nodes.get(0))).isEmpty();
        owners.put(shards - 1, "a node that is not alive");
        assertThat(gift(nodes, shards, nodes.get(0))).isEmpty();
        owners.put(shards - 1, nodes.get(0));
        assertThat(gift(nodes, shards, nodes.get(0))).isPresent();
    }

    @ParameterizedTest
    @CsvSource({"3,6", "2,4"})
    void aNodeThatMayNotTakeAShardIsOfferedAnotherOne(int count, int shards) {
        List<String> nodes = nodes(count);
        IntStream.range(0, shards).forEach(shard -> owners.put(shard, nodes.get(0)));
        String pinned = nodes.get(1);
        ShardBalance balance = new ShardBalance(nodes, owners, shards);
        assertThat(balance.gift(nodes.get(0), (shard, to) -> to.equals(pinned) && shard != 1))
                .contains(new ShardBalance.Gift(1, pinned));
        Optional<ShardBalance.Gift> toAnother = balance.gift(nodes.get(0), (shard, to) -> to.equals(pinned));
        assertThat(toAnother.map(ShardBalance.Gift::to))
                .isEqualTo(count == 2 ? Optional.empty() : Optional.of("node 2"));
    }
}
