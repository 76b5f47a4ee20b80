package io.ringtable.acceptance.harness;

import java.util.List;
import java.util.regex.Pattern;

/**
 * How many shards and nodes the brokers of a run have: {@code -Dacceptance.shards=6 -Dacceptance.nodes=3} has the same
 * tests run on a cluster, with clients at random nodes. Both are one unless said. A test that says itself how its
 * broker is in a cluster is left alone. So is one with TLS, whose certificate is for one broker. A file of SQLite has
 * one node. Where the broker has users, its nodes log in as one more of them.
 *
 * @param shards of each broker, a multiple of the nodes
 * @param nodes of each broker that stores on a server, at least 1
 */
record Topology(int shards, int nodes) {
    private static final String SHARDS = "ringtable.shards";
    private static final String CLUSTER = "ringtable.cluster.";
    private static final String TLS = "ringtable.amqp.tls.";
    private static final Pattern USER = Pattern.compile("ringtable\\.security\\.users\\[\\d+]\\.name");
    private static final String VIEWERS = "ringtable.security.roles.viewer.users";
    private static final String NODE = "node-of-the-run";

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
        return nodes > 1 && isOnServer(settings) && isFree(settings);
    }

    private static boolean isOnServer(BrokerSettings settings) {
        String url = settings.properties().get("ringtable.store.url");
        return url != null && !url.startsWith("jdbc:sqlite:");
    }

    private static boolean isFree(BrokerSettings settings) {
        return settings.properties().keySet().stream()
                .noneMatch(name -> name.equals(SHARDS)
                        || name.startsWith(CLUSTER)
                        || name.startsWith(TLS)
                        || name.equals("ringtable.lease"));
    }

    /** Returns the settings with so many shards, and as those of a node if there are others. */
    BrokerSettings applied(BrokerSettings settings) {
        if (shards == 1 || !isFree(settings)) {
            return settings;
        }
        BrokerSettings sharded = settings.with(SHARDS, shards);
        return hasOthers(settings)
                ? withLoginOfNodes(sharded)
                        .with(CLUSTER + "enabled", true)
                        .with("ringtable.lease", "6s") // kept on a busy machine
                : sharded;
    }

    /** Adds a user if there are others: nodes carry their clients as that one, and the test asks for metrics as it. */
    private static BrokerSettings withLoginOfNodes(BrokerSettings settings) {
        long users = settings.properties().keySet().stream()
                .filter(USER.asMatchPredicate())
                .count();
        if (users == 0) {
            return settings;
        }
        String user = "ringtable.security.users[" + users + "].";
        BrokerSettings known = settings.with(user + "name", NODE)
                .with(user + "password", "{noop}" + NODE)
                .with(CLUSTER + "user", NODE)
                .with(CLUSTER + "password", NODE);
        String viewers = settings.properties().get(VIEWERS);
        return known.with(VIEWERS, viewers == null ? NODE : viewers + "," + NODE);
    }

    /** Returns the settings of another node of the same broker. @param number from 2 */
    static BrokerSettings another(BrokerSettings first, int number) {
        BrokerSettings own = BrokerSettings.in(first.directory().resolve("node-" + number));
        return new BrokerSettings(
                        own.directory(),
                        own.amqpPort(),
                        own.httpPort(),
                        first.properties(),
                        first.jvm(),
                        false,
                        List.of())
                .with("ringtable.data-dir", own.dataDir());
    }
}
