package io.ringtable.acceptance.citus;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Jms;
import io.ringtable.acceptance.harness.ServerDatabase;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Starts three servers that Citus makes one database of, a coordinator and two workers. Each has shards of the
 * applications' table, and a shard of the broker.
 */
final class CitusNodes {
    static final int NODES = 3;
    static final String LOGIN = "ringtable"; // the broker's, which is no superuser
    private static final boolean WITNESS = !"false".equals(System.getProperty("citus.witness"));

    /** Names the file that an administrator runs; it is the build's own. */
    static final Path SETUP =
            Path.of(System.getProperty("ringtable.root", ".."), "src/main/resources/db/postgresql/setup/citus.sql");

    private final List<CitusServer> servers;
    private final List<Integer> places; // for each node a value whose rows lie there

    private CitusNodes(List<CitusServer> servers, List<Integer> places) {
        this.servers = servers;
        this.places = places;
    }

    static CitusNodes start(Bench bench) throws IOException, SQLException {
        List<CitusServer> servers = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            servers.add(bench.closing(CitusServer.start(bench.directory().resolve("citus-" + i))));
        }
        CitusServer first = servers.get(0);
        ServerDatabase coordinator = first.database();
        coordinator.execute("SELECT citus_set_coordinator_host('%s', %d)".formatted(CitusServer.HOST, first.port()));
        for (CitusServer worker : servers.subList(1, NODES)) {
            coordinator.execute("SELECT citus_add_node('%s', %d)".formatted(CitusServer.HOST, worker.port()));
        }
        coordinator.execute(
                "SELECT citus_set_node_property('%s', %d, 'shouldhaveshards', true)"
                        .formatted(CitusServer.HOST, first.port()),
                "CREATE ROLE " + LOGIN + " LOGIN",
                "GRANT CREATE ON DATABASE " + CitusServer.DATABASE + " TO " + LOGIN,
                CitusApplication.TABLE,
                "SELECT create_distributed_table('booking', 'place', shard_count := 6)");
        first.setUp(SETUP, LOGIN, CitusServer.DATABASE);
        return new CitusNodes(servers, places(servers));
    }

    private static List<Integer> places(List<CitusServer> servers) throws SQLException {
        Map<Integer, Integer> byPort = new HashMap<>();
        for (String row : servers.get(0)
                .database()
                .ask("SELECT n.nodeport || ' ' || min(v.place) FROM generate_series(1, 200) AS v (place)"
                        + " JOIN pg_dist_placement AS p"
                        + " ON p.shardid = get_shard_id_for_distribution_column('booking', v.place)"
                        + " JOIN pg_dist_node AS n ON n.groupid = p.groupid GROUP BY n.nodeport")) {
            String[] columns = row.split(" ");
            byPort.put(Integer.valueOf(columns[0]), Integer.valueOf(columns[1]));
        }
        return servers.stream().map(server -> byPort.get(server.port())).toList();
    }

    CitusServer server(int node) {
        return servers.get(node);
    }

    int indexOf(CitusServer server) {
        return servers.indexOf(server);
    }

    ServerDatabase database(int node) {
        return servers.get(node).database();
    }

    /** Returns a value of the distribution column whose rows lie on the node. */
    int place(int node) {
        return places.get(node);
    }

    /** Gives a broker one shard on each node, of the same number. */
    BrokerSettings placed(BrokerSettings settings) {
        BrokerSettings placed = settings.store(database(0).url(), LOGIN, "").with("ringtable.shards", NODES);
        for (int node = 1; node < NODES; node++) {
            String store = "ringtable.stores[" + (node - 1) + "].";
            placed = placed.with(store + "name", "worker-" + node)
                    .with(store + "url", database(node).url())
                    .with(store + "username", LOGIN)
                    .with(store + "shards", node);
        }
        return placed;
    }

    /** Returns for each node a queue whose home is its shard. */
    List<String> queuesByHome(BrokerProcess broker) throws JMSException, SQLException {
        Map<Integer, String> byShard = new TreeMap<>();
        try (Connection connection = Jms.factory(broker.amqpUrl()).createConnection()) {
            Session session = connection.createSession();
            for (int i = 0; byShard.size() < NODES; i++) {
                String queue = "work." + i;
                session.createConsumer(session.createQueue(queue)).close();
                int home = Integer.parseInt(database(0)
                        .ask("SELECT shard_id FROM ringtable.home WHERE scope = 'address' AND name = '" + queue + "'")
                        .get(0));
                byShard.putIfAbsent(home, queue);
            }
        }
        return List.copyOf(byShard.values());
    }

    /** Has Citus commit in one phase if {@code citus.witness} is false: tests have to fail then. */
    void keepOrDropWitness() throws SQLException {
        if (!WITNESS) {
            for (int node = 0; node < NODES; node++) {
                database(node)
                        .execute("SET citus.enable_ddl_propagation = off;"
                                + " CREATE OR REPLACE FUNCTION ringtable.commit_as_one() RETURNS void"
                                + " LANGUAGE sql AS ''");
            }
        }
    }

    /** Counts rows on all nodes, each of which sees its own. */
    int count(String table) throws SQLException {
        int count = 0;
        for (CitusServer server : servers) {
            count += server.database().count(table);
        }
        return count;
    }
}
