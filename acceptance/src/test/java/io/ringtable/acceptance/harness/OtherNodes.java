package io.ringtable.acceptance.harness;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The nodes beside a broker that is to be one of several. They start behind it, and end with it alone: a test that
 * kills its broker finds the others at work.
 * <p>
 * Thread: the test's.
 */
final class OtherNodes implements AutoCloseable {
    private static final Pattern URL = Pattern.compile("\"url\"\\s*:\\s*\"([^\"]+)\"");
    private static final Duration MOST = Duration.ofMinutes(2);
    private static final Duration LOOK = Duration.ofMillis(200); // each asks a broker

    private final List<BrokerProcess> nodes = new ArrayList<>();
    private final int shards;

    /** Has none of them started. @param first settings of the broker that they are beside */
    OtherNodes(BrokerSettings first, Topology topology) {
        this.shards = topology.shards();
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
        await("shares of all nodes")
                .atMost(MOST)
                .pollInterval(LOOK)
                .until(() -> isEven(first) && nodes.stream().allMatch(this::isEven));
    }

    private boolean isEven(BrokerProcess node) {
        List<Long> counts =
                new ArrayList<>(URL.matcher(node.http("/api/v1/shards").body())
                        .results()
                        .map(match -> match.group(1))
                        .collect(Collectors.groupingBy(url -> url, Collectors.counting()))
                        .values());
        return counts.size() == nodes.size() + 1 && counts.stream().allMatch(count -> count == shards / counts.size());
    }

    /** Returns one of all nodes. @param first the broker that they are beside */
    BrokerProcess any(BrokerProcess first) {
        int found = ThreadLocalRandom.current().nextInt(nodes.size() + 1);
        return found == nodes.size() ? first : nodes.get(found);
    }

    @Override
    public void close() {
        nodes.forEach(BrokerProcess::close);
    }
}
