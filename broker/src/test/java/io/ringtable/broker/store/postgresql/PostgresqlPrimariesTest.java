package io.ringtable.broker.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.TestSettings;
import io.ringtable.broker.metrics.BrokerMeters;
import io.ringtable.broker.metrics.BrokerMetric;
import io.ringtable.broker.metrics.CommitMeters;
import io.ringtable.broker.metrics.StatusSampler;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.NodeDirectory;
import io.ringtable.broker.store.OneTopic;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.trace.MessageTraces;
import java.io.IOException;
import java.lang.ref.Reference;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests a URL that names two servers, of which now one and now the other is the primary. */
class PostgresqlPrimariesTest {
    private static final int STORED = 10;

    private final NodeDirectory directory = new NodeDirectory();
    private EmbeddedPostgresql first; // runs
    private EmbeddedPostgresql second; // a copy of the first one, not started

    @BeforeEach
    void startTheFirst() throws IOException {
        try {
            first = EmbeddedPostgresql.start();
        } catch (IOException | RuntimeException e) {
            new EngineAbsent("postgresql", e.getMessage(), e).failOrSkip();
        }
        try (OneTopic ring = OneTopic.laid(open(first.port()))) {
            ring.publish(STORED);
        }
        first.stop();
        second = first.standby();
        first.begin();
    }

    @AfterEach
    void remove() {
        for (EmbeddedPostgresql server : new EmbeddedPostgresql[] {first, second}) {
            if (server != null) {
                server.remove();
            }
        }
        directory.close();
    }

    @Test
    void theStoreFollowsThePrimaryAndRefusesTheFormerOne() throws Exception {
        try (OneTopic ring = OneTopic.found(open(first.port(), second.port()))) {
            first.stop();
            second.begin();
            assertThat(failureOf(ring).kind()).as("the connection is lost").isEqualTo(Kind.OUTCOME_UNKNOWN);
            assertThat(failureOf(ring).kind()).as("a standby is no store").isEqualTo(Kind.UNAVAILABLE);
            promoteTheSecond();
            ownAgain(ring);
            ring.publish(3);

            second.stop();
            first.begin(); // it takes writes, on its earlier timeline
            assertThat(failureOf(ring).kind()).isEqualTo(Kind.OUTCOME_UNKNOWN);
            await("that the driver asks the former one") // which it remembers for a while as gone
                    .untilAsserted(() -> assertThat(failureOf(ring))
                            .hasMessageContaining("RT-1227")
                            .extracting(StoreFailure::kind)
                            .isEqualTo(Kind.UNAVAILABLE));
            assertThat(catchThrowableOfType(StoreFailure.class, ring.store::orphanedBodies))
                    .as("nor is it read")
                    .hasMessageContaining("RT-3013");

            first.stop();
            second.begin();
            ownAgain(ring);
            assertThat(ring.next).isEqualTo(STORED + 3);
        }
    }

    /** The next connection finds the next primary, and ends what hangs on the former one. */
    @Test
    void aCallThatHangsOnAFrozenServerEndsWithTheNextPrimary() throws Exception {
        try (TamperingProxy way = new TamperingProxy(first.port());
                OneTopic ring = OneTopic.found(open(way.port(), second.port()))) {
            ring.publish(1);
            way.swallowAnswers(true);
            Flush batch = ring.batch(1);
            CompletableFuture<StoreFailure> flush = CompletableFuture.supplyAsync(() -> failureOf(ring.store, batch));
            second.begin();
            promoteTheSecond();

            await("the end of the flush").ignoreException(StoreFailure.class).until(() -> {
                ring.store.orphanedBodies();
                return flush.isDone();
            });

            assertThat(flush.join().kind()).isEqualTo(Kind.OUTCOME_UNKNOWN);
            ownAgain(ring);
            assertThat(ring.next).isEqualTo(STORED);
        }
    }

    @Test
    void severalServersNeedThePrimary() throws Exception {
        String url = url(first.port(), second.port()) + "?targetServerType=preferSecondary";
        assertThat(catchThrowableOfType(StoreFailure.class, () -> open(url))).hasMessageContaining("RT-1228");
        try (RingStore store = open(url(first.port(), second.port()) + "?targetServerType=primary")) {
            assertThat(store.limits().durability())
                    .as("no commit waits for the other server")
                    .contains("lost in a fail-over", "synchronous_standby_names is empty");
        }
        try (RingStore store = open(first.port())) {
            assertThat(store.limits().durability()).isEqualTo("full (synced before accepted)");
        }
    }

    /** The gauge of the metric follows what the broker sees with its next look, though no connection is lost. */
    @Test
    void theMetricTellsWhetherCommitsWaitForAnotherServer() throws Exception {
        TestSettings settings = TestSettings.of(
                "ringtable.ring.capacity", OneTopic.GEOMETRY.capacity(), "ringtable.commit.batch-messages-max", 1_000);
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        CommitMeters commits = new CommitMeters(registry, 1);
        try (RingtableBroker broker = new RingtableBroker(
                settings(url(first.port(), second.port())),
                settings.shard(),
                settings.amqp(),
                settings.logins(),
                commits)) {
            broker.start();
            try (StatusSampler sampler =
                    new StatusSampler(broker::status, broker::traffic, broker.amqpCounters(), commits::flushTimes)) {
                sampler.start(sample -> {});
                BrokerMeters meters = new BrokerMeters(
                        registry,
                        sampler,
                        broker.amqpCounters(),
                        broker::storeOf,
                        broker::storeCounters,
                        broker::storeLimits,
                        broker::inboxTrouble,
                        MessageTraces.OFF,
                        1,
                        Duration.ofSeconds(1),
                        1);
                Gauge unreplicated =
                        registry.get(BrokerMetric.SHARD_UNREPLICATED.id()).gauge();
                await("a look at the servers").until(() -> unreplicated.value() == 1);

                second.follows(first);
                second.begin();
                execute(first, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()");

                await("the next look").until(() -> unreplicated.value() == 0);
                assertThat(broker.status().durability()).isEqualTo("full (synced before accepted)");
                assertThat(broker.status().shards().get(0).isActive()).isTrue();
                Reference.reachabilityFence(meters);
            }
        }
    }

    @Test
    void aCommitThatWaitsForNoStandbyThoughThereIsOneIsRefused() throws Exception {
        execute(
                first,
                "ALTER DATABASE postgres SET synchronous_commit = local",
                "ALTER SYSTEM SET synchronous_standby_names = 'second'",
                "SELECT pg_reload_conf()"); // from now on a commit here would wait
        await("the setting")
                .until(() -> shown(first, "synchronous_standby_names").equals("second"));

        StoreFailure failure = catchThrowableOfType(StoreFailure.class, () -> open(first.port()));

        assertThat(failure)
                .hasMessageContaining("RT-3007")
                .hasMessageContaining("synchronous_commit=local beside synchronous_standby_names='second'");
    }

    private StoreFailure failureOf(OneTopic ring) {
        return failureOf(ring.store, ring.batch(1));
    }

    private static StoreFailure failureOf(RingStore store, Flush batch) {
        StoreFailure failure = catchThrowableOfType(StoreFailure.class, () -> store.flush(batch));
        assertThat(failure).isNotNull();
        return failure;
    }

    private static void ownAgain(OneTopic ring) {
        await("the store").ignoreException(StoreFailure.class).until(() -> {
            ring.own();
            return true;
        });
        ring.recover();
    }

    private void promoteTheSecond() throws SQLException {
        execute(second, "SELECT pg_promote()");
    }

    private static void execute(EmbeddedPostgresql server, String... statements) throws SQLException {
        try (Connection connection = connect(server);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static String shown(EmbeddedPostgresql server, String setting) throws SQLException {
        try (Connection connection = connect(server);
                Statement statement = connection.createStatement();
                ResultSet answer = statement.executeQuery("SHOW " + setting)) {
            answer.next();
            return answer.getString(1);
        }
    }

    private static Connection connect(EmbeddedPostgresql server) throws SQLException {
        return DriverManager.getConnection(url(server.port()), EmbeddedPostgresql.USER, EmbeddedPostgresql.PASSWORD);
    }

    private RingStore open(int... ports) {
        return open(url(ports));
    }

    private RingStore open(String url) {
        return RingStores.open(settings(url));
    }

    private StoreSettings settings(String url) {
        return TestSettings.of(
                        "ringtable.store.url",
                        url,
                        "ringtable.store.username",
                        EmbeddedPostgresql.USER,
                        "ringtable.store.password",
                        EmbeddedPostgresql.PASSWORD,
                        "ringtable.store.connect-timeout",
                        "2s",
                        "ringtable.store.statement-timeout",
                        "5m") // nothing ends by it
                .store(directory.path());
    }

    private static String url(int... ports) {
        StringBuilder hosts = new StringBuilder();
        for (int port : ports) {
            hosts.append(hosts.isEmpty() ? "" : ",").append("127.0.0.1:").append(port);
        }
        return "jdbc:postgresql://" + hosts + "/postgres";
    }
}
