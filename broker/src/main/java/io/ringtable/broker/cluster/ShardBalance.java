package io.ringtable.broker.cluster;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;

/**
 * Decides which shard a node hands over, and to which node (ADR 51). A node with the most shards gives one to a node
 * with fewer, while the two differ by at least two. So each handover makes the numbers more equal. At the end no two
 * nodes differ by more than one, unless a node may not take what it is offered.
 * <p>
 * Immutable.
 *
 * @param nodes ids of those that are alive and may own shards
 * @param owners ids by number of the shard
 * @param count of the shards
 */
record ShardBalance(List<String> nodes, Map<Integer, String> owners, int count) {

    /** Says that a node is to have a shard. */
    record Gift(int shard, String to) {}

    /**
     * Returns what a node gives. Nothing while a shard has no owner that is alive: its next owner changes the numbers.
     *
     * @param isRefused whether that node may not take that shard
     */
    Optional<Gift> gift(String giver, BiPredicate<Integer, String> isRefused) {
        boolean isWhole = owners.size() == count && nodes.containsAll(owners.values());
        long most = nodes.stream().mapToLong(this::owned).max().orElse(0);
        if (!isWhole || owned(giver) < most) {
            return Optional.empty();
        }
        List<String> takers = nodes.stream()
                .filter(node -> owned(giver) - owned(node) >= 2)
                .sorted(Comparator.comparingLong(this::owned).thenComparing(Comparator.naturalOrder()))
                .toList();
        for (String taker : takers) {
            for (int shard = count - 1; shard >= 0; shard--) { // the first one has the settings: it moves last
                if (giver.equals(owners.get(shard)) && !isRefused.test(shard, taker)) {
                    return Optional.of(new Gift(shard, taker));
                }
            }
        }
        return Optional.empty();
    }

    private long owned(String node) {
        return owners.values().stream().filter(node::equals).count();
    }
}
