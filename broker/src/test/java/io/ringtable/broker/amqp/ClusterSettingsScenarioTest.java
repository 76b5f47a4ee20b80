package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import io.ringtable.wire.ScramHash;
import io.ringtable.wire.ScramVerifier;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nodes of a cluster agree on databases, on the number of shards and on what administrators set. */
@Timeout(300)
class ClusterSettingsScenarioTest {
    private static final int SHARDS = 4;
    private static final long WAIT_MS = 60_000;

    private static final String PASSWORD = "secret";
    private static final String HASH = ScramVerifier.of(
                    ScramHash.SHA_512, PASSWORD, "0123456789abcdef".getBytes(StandardCharsets.US_ASCII), 4_096)
            .notation();

    @AutoClose
    private TestCluster cluster;

    @BeforeEach
    void makeDatabase() throws Exception {
        cluster = new TestCluster(TestCluster.settings(SHARDS, "2s"));
    }

    @Test
    void aClusterNeedsADatabaseServerAndOneNumberOfShards(@TempDir Path directory) throws Exception {
        Object[] enabled = {"ringtable.shards", SHARDS, "ringtable.cluster.enabled", true};
        assertThatThrownBy(() -> TestBroker.start(directory.resolve("file"), TestSettings.of(enabled)))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1220");
        assertThatThrownBy(() -> cluster.start("none", "1,4"))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1221 ringtable.cluster.shards names shard 4");

        TestBroker a = cluster.start("a", "");
        assertThatThrownBy(() -> cluster.start("less", "", "ringtable.shards", SHARDS - 1))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1222 ringtable.shards=3, and the store has shard 3");
        a.awaitOwned(0, 1, 2, 3);
    }

    /** Both nodes begin at once on databases that are new, so they agree where shards lie. */
    @Test
    void shardsOfTwoDatabasesAreSharedToo() throws Exception {
        PostgresqlTestDatabase second = PostgresqlTestDatabase.migrated();
        try {
            Object[] stores = {
                "ringtable.stores[0].name", "second",
                "ringtable.stores[0].url", second.settings().properties().url(),
                "ringtable.stores[0].username", second.settings().properties().username(),
                "ringtable.stores[0].password", second.settings().properties().password(),
                "ringtable.stores[0].shards", "2,3"
            };
            CompletableFuture<TestBroker> other =
                    CompletableFuture.supplyAsync(() -> cluster.start("b", "1,3", stores));
            TestBroker a = cluster.start("a", "0,2", stores);
            TestBroker b = other.join();
            a.awaitOwned(0, 2);
            b.awaitOwned(1, 3);
            for (int i = 0; i < SHARDS; i++) {
                TestCluster.send(i % 2 == 0 ? a : b, "queue." + i, "text " + i);
            }
            String tokens = "SELECT string_agg(token, ',' ORDER BY shard_id) FROM ringtable.placement";
            assertThat(second.ask(tokens)).isEqualTo(cluster.ask(tokens));

            cluster.stop("b");
            TestBroker c = cluster.start("c", "1,3", stores);
            c.awaitOwned(1, 3);
            for (int i = 0; i < SHARDS; i++) {
                assertThat(TestCluster.receive(i % 2 == 0 ? a : c, "queue." + i))
                        .isEqualTo("text " + i);
            }
            cluster.stop("a");
            cluster.stop("c");
        } finally {
            second.close();
        }
    }

    @Test
    void whatIsSetAtTheNodeOfTheFirstShardCountsAtTheOthers() throws Exception {
        Object[] root = {
            "ringtable.security.users[0].name", "root", "ringtable.security.users[0].password", "{noop}root"
        };
        TestBroker a = cluster.start("a", "0,1", root);
        TestBroker b = cluster.start("b", "2,3", root);
        b.awaitOwned(2, 3);
        assertThatThrownBy(() -> logIn(b, "root", PASSWORD)).isInstanceOf(JMSSecurityException.class);
        logIn(b, "root", "root");

        Administrator atA = Administrator.of(a, "root");
        Administrator atB = Administrator.of(b, "root");
        atA.make("/users/ann", "{'passwordHash': '" + HASH + "'}");
        await().until(() -> atB.get("/users").toString().contains("\"ann\""));
        logIn(b, "ann", PASSWORD);
        atA.delete("/users/ann");
        await().until(() -> !atB.get("/users").toString().contains("\"ann\""));
        assertThatThrownBy(() -> logIn(b, "ann", PASSWORD)).isInstanceOf(JMSSecurityException.class);

        b.awaitOwner(0);
        atA.make("/policies/limited.#", "{'deadLetterQueue': 'limited.dead'}");
        await().until(
                        () -> cluster.ask("SELECT count(*) FROM ringtable.address WHERE name = 'limited.dead'"),
                        String.valueOf(SHARDS)::equals); // a part in each shard, whichever node has it
        assertThat(b.shard().policies().now().isDestination("limited.dead")).isTrue();

        assertThat(atB.refused(503, "RT-4600", "PUT", "/users/bob", "{'passwordHash': '" + HASH + "'}"))
                .contains("shard 0 is served by node '")
                .contains(a.url());

        atA.make("/users/cat", "{'passwordHash': '" + HASH + "'}");
        cluster.stop("a");
        TestBroker c = cluster.start("c", "0", root);
        c.awaitOwned(0);
        Administrator.of(c, "root").delete("/users/cat");
        await().until(() -> !atB.get("/users").toString().contains("\"cat\""));
    }

    private static void logIn(TestBroker node, String user, String password) throws JMSException {
        node.jms(user, password).createConnection().close();
    }
}
