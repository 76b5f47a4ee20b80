package io.ringtable.acceptance.harness;

import java.util.Map;

/**
 * How many shards and nodes the brokers of a run have: {@code -Dacceptance.shards=6 -Dacceptance.nodes=3} has the same
 * tests run on a cluster, with clients at random nodes. Both are one unless said. A test that says itself how its
 * broker is in a cluster is left alone, and so is one with users. A file of SQLite has one node.
 *
 * @param shards of each broker, a multiple of the nodes
 * @param nodes of each broker that stores on a server, at least 1
 */
record Topology(int shards, int nodes) {
    private static final String SHARDS = "ringtable.shards";
    private static final String CLUSTER = "ringtable.cluster.";
    private static final String USERS = "ringtable.security."; // without a login nobody learns which node has what

    /** Holds what the run is asked for. */
    static final Topology ASKED =
            new Topology(Integer.getInteger("acceptance.shards", 1), Integer.getInteger("acceptance.nodes", 1));

    Topology {
        if (shards < 1 || nodes < 1 || shards % nodes != 0) {
            throw new IllegalArgumentException(
                    "acceptance.shards=" + shards + " are no even shares for acceptance.nodes=" + nodes
                            + ": make the first a multiple of the second");
        }
    }

    /** Tells whether such a broker is to have other nodes beside it. */
    boolean hasOthers(BrokerSettings settings) {
        return nodes > 1 && settings.properties().containsKey("ringtable.store.url") && isFree(settings);
    }

    private static boolean isFree(BrokerSettings settings) {
        return settings.properties().keySet().stream()
                .noneMatch(name -> name.equals(SHARDS)
                        || name.startsWith(CLUSTER)
                        || name.startsWith(USERS)
                        || name.equals("ringtable.lease"));
    }

    /** Returns the settings with so many shards, and as those of a node if there are others. */
    BrokerSettings applied(BrokerSettings settings) {
        if (shards == 1 || !isFree(settings)) {
            return settings;
        }
        BrokerSettings sharded = settings.with(SHARDS, shards);
        return hasOthers(settings)
                ? sharded.with(CLUSTER + "enabled", true).with("ringtable.lease", "6s") // kept on a busy machine
                : sharded;
    }

    /** Returns the settings of another node of the same broker. @param number from 2 */
    static BrokerSettings another(BrokerSettings first, int number) {
        BrokerSettings other = BrokerSettings.in(first.directory().resolve("node-" + number));
        for (Map.Entry<String, String> each : first.properties().entrySet()) {
            if (!each.getKey().equals("ringtable.data-dir")) {
                other = other.with(each.getKey(), each.getValue());
            }
        }
        return other.jvm(first.jvm().toArray(String[]::new));
    }
}
