package io.ringtable.acceptance.cluster;

import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Pace;
import java.time.Duration;
import java.util.Random;

/** Names what happens to a node of the cluster. Thread: the test's. */
enum Blow {
    /** SIGKILL, and a start later. */
    KILL {
        @Override
        void strike(ClusterNodes nodes, BrokerProcess node, Random random) {
            node.kill();
            Pace.pass(upTo(random, 2));
            node.launch();
        }
    },
    /** SIGTERM, and a start later. */
    STOP {
        @Override
        void strike(ClusterNodes nodes, BrokerProcess node, Random random) {
            node.stop();
            Pace.pass(upTo(random, 2));
            node.launch();
        }
    },
    /** SIGSTOP for longer than the lease. */
    FREEZE {
        @Override
        void strike(ClusterNodes nodes, BrokerProcess node, Random random) {
            node.pause();
            Pace.pass(ClusterNodes.LEASE.multipliedBy(6).dividedBy(5).plus(upTo(random, 2)));
            node.resume();
        }
    },
    /** A shard of any node goes to this one. */
    MOVE {
        @Override
        void strike(ClusterNodes nodes, BrokerProcess node, Random random) {
            int first = random.nextInt(ClusterNodes.SHARDS);
            BrokerProcess asked =
                    nodes.brokers().get(random.nextInt(nodes.brokers().size()));
            for (int i = 0; i < ClusterNodes.SHARDS; i++) {
                if (nodes.move((first + i) % ClusterNodes.SHARDS, asked, node)) {
                    return;
                }
            }
        }
    };

    /** Does so, and returns when the node goes on or starts again. */
    abstract void strike(ClusterNodes nodes, BrokerProcess node, Random random);

    private static Duration upTo(Random random, int leases) {
        return Duration.ofMillis((long) (random.nextDouble() * leases * ClusterNodes.LEASE.toMillis()));
    }
}
