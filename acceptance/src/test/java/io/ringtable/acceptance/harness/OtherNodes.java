package io.ringtable.acceptance.harness;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The nodes beside a broker that is to be one of several. They start behind it, and end with it alone: a test that
 * kills its broker finds the others at work.
 * <p>
 * Thread: the test's.
 */
final class OtherNodes implements AutoCloseable {
    private static final Duration MOST = Duration.ofMinutes(2);
    private static final Duration LOOK = Duration.ofMillis(200); // each asks a broker

    private final List<BrokerProcess> nodes = new ArrayList<>();
    private final int share; // shards of each node

    /** Has none of them started. @param first settings of the broker that they are beside */
    OtherNodes(BrokerSettings first, Topology topology) {
        this.share = topology.shards() / topology.nodes();
        for (int number = 2; number <= topology.nodes(); number++) {
            nodes.add(BrokerProcess.alone(Topology.another(first, number)));
        }
    }

    /** Starts them, and waits until each node has its share: no shard goes from node to node during the tests. */
    void start(BrokerProcess first) {
        if (nodes.stream().anyMatch(BrokerProcess::isAlive)) {
            return; // the first one was killed, and is back
        }
        nodes.forEach(BrokerProcess::launch);
        nodes.forEach(BrokerProcess::awaitReady);
        awaitShares(first);
    }

    void awaitShares(BrokerProcess first) {
        await("shares of all nodes")
                .atMost(MOST)
                .pollInterval(LOOK)
                .until(() -> isEven(first) && nodes.stream().allMatch(this::isEven));
    }

    private boolean isEven(BrokerProcess node) {
        return node.metric("ringtable_shards_owned") == share;
    }

    /** Returns all nodes. @param first the broker that they are beside */
    List<BrokerProcess> with(BrokerProcess first) {
        List<BrokerProcess> all = new ArrayList<>(nodes);
        all.add(first);
        return all;
    }

    @Override
    public void close() {
        nodes.forEach(BrokerProcess::close);
    }
}
