package io.ringtable.acceptance.ownership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.AmqpFrames;
import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Jms;
import io.ringtable.acceptance.harness.Ports;
import io.ringtable.acceptance.harness.PostgresServer;
import io.ringtable.acceptance.harness.RawAmqp;
import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two brokers on one database: at any time one of them serves, and only that one writes. */
class OwnershipTest {
    private static final int MESSAGES = 50;
    /**
     * Longer than a busy machine lets the owner wait for its turn: it must not lose the shard before the test takes it.
     */
    private static final Duration LEASE = Duration.ofSeconds(5);

    @RegisterExtension
    final Bench bench = new Bench();

    @Test
    void theSecondBrokerStandsByAndTakesOverWhenTheFirstIsKilled() throws Exception {
        PostgresServer server = bench.sharedPostgres();
        String url = server.createDatabase();
        BrokerProcess first = on(server, url).start();
        BrokerProcess second = on(server, url).launch().awaitLog("standing by");

        assertThat(second.isReady()).isFalse();
        assertThat(second.isLive()).isTrue();
        assertThat(Ports.isFree(second.amqpPort()))
                .as("a stand-by does not listen")
                .isTrue();
        assertThat(second.http("/actuator/health/readiness").body()).contains("standing by");
        Jms.send(first.amqpUrl(), "orders", MESSAGES);

        first.kill();
        long killed = System.nanoTime();
        second.awaitReady();

        assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(LEASE.plusSeconds(15));
        assertThat(Jms.receive(second.amqpUrl(), "orders", MESSAGES)).isEqualTo(Jms.bodies(MESSAGES));
    }

    @Test
    void aPausedOwnerIsFencedWritesNothingAndStandsBy() throws Exception {
        PostgresServer server = bench.sharedPostgres();
        String url = server.createDatabase();
        BrokerProcess first = on(server, url).start();
        BrokerProcess second = on(server, url).launch().awaitLog("standing by");
        Jms.send(first.amqpUrl(), "orders", MESSAGES);
        RawAmqp publisher = bench.closing(RawAmqp.socket(first.amqpPort()).open("publisher"));
        publisher.attachSender(0, "orders");

        first.pause();
        // They wait in the socket of the paused broker, which will try to store them when it goes on.
        IntStream.range(0, MESSAGES).forEach(id -> publisher.transfer(0, id, "late " + id));
        second.awaitReady();
        Jms.send(second.amqpUrl(), "invoices", 1);
        Map<String, String> before = tablesAtRest(server, url);

        first.resume();
        await().atMost(Duration.ofSeconds(30)).until(() -> first.log().contains("STANDBY"));
        assertThat(accepted(publisher)).as("outcomes of the fenced broker").isZero();
        assertThat(server.tables(url)).isEqualTo(before);
        assertThat(first.isLive()).isTrue();
        assertThat(first.isReady()).isFalse();
        assertThat(second.isReady()).isTrue();

        // Nothing is lost, nothing late has come in, and the fenced broker is a stand-by like any other.
        assertThat(Jms.receive(second.amqpUrl(), "orders", MESSAGES)).isEqualTo(Jms.bodies(MESSAGES));
        second.awaitOwed("orders", 0); // what is not settled durably comes again after a kill
        second.kill();
        first.awaitReady();
        assertThat(Jms.receive(first.amqpUrl(), "invoices", 1)).isEqualTo(Jms.bodies(1));
        Jms.send(first.amqpUrl(), "orders", 1);
        assertThat(Jms.receive(first.amqpUrl(), "orders", 1)).isEqualTo(Jms.bodies(1));
    }

    @Test
    void aDataDirectoryInUseIsRefusedByName() throws Exception {
        BrokerProcess first = bench.broker().start();
        BrokerProcess second = bench.broker(
                settings -> settings.with("ringtable.data-dir", first.settings().dataDir()));

        assertThat(second.launch().awaitExit(Duration.ofSeconds(60))).isNotZero();

        assertThat(second.log())
                .contains("RT-1008", first.settings().dataDir().toString(), "is in use by another broker");
    }

    @Test
    void aSqliteFileInUseIsRefusedByName() throws Exception {
        BrokerProcess first = bench.broker(BrokerSettings::asJar).start();
        Jms.send(first.amqpUrl(), "orders", MESSAGES);
        String file = first.settings().dataDir().resolve("ringtable.db").toString();
        BrokerProcess second = bench.broker(settings -> settings.with("ringtable.store.url", "jdbc:sqlite:" + file));

        assertThat(second.launch().awaitExit(Duration.ofSeconds(60))).isNotZero();

        assertThat(second.log()).contains("RT-3024", file, "is in use by process " + first.pid());
        assertThat(Jms.receive(first.amqpUrl(), "orders", MESSAGES)).isEqualTo(Jms.bodies(MESSAGES));
    }

    private BrokerProcess on(PostgresServer server, String url) {
        return bench.broker(settings -> settings.store(url, server.username(), server.password())
                .with("ringtable.lease", LEASE.toSeconds() + "s"));
    }

    /** Once two looks show the same. */
    private static Map<String, String> tablesAtRest(PostgresServer server, String url) {
        Map<String, String> look = server.tables(url);
        for (int i = 0; i < 100; i++) {
            Map<String, String> next = server.tables(url);
            if (next.equals(look)) {
                return next;
            }
            look = next;
        }
        throw new IllegalStateException("the tables do not come to rest: " + look);
    }

    private static int accepted(RawAmqp publisher) {
        int accepted = 0;
        for (AmqpFrames.Frame frame = publisher.read(Duration.ofSeconds(5));
                frame != null;
                frame = publisher.read(Duration.ofSeconds(5))) {
            if (frame.performative() instanceof Disposition disposition && disposition.getState() instanceof Accepted) {
                accepted++;
            }
        }
        return accepted;
    }
}
