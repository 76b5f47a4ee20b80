package io.ringtable.acceptance.ownership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.AmqpFrames;
import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Jms;
import io.ringtable.acceptance.harness.RawAmqp;
import io.ringtable.acceptance.harness.ServerDatabase;
import io.ringtable.broker.Ports;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two brokers on one database: at any time one of them serves, and only that one writes. */
class OwnershipTest {
    private static final int MESSAGES = 50;
    /**
     * Longer than a busy machine lets the owner wait for its turn: it must not lose the shard before the test takes it.
     */
    private static final Duration LEASE = Duration.ofSeconds(5);

    private static final Duration ENDS = Duration.ofSeconds(60);

    @RegisterExtension
    final Bench bench = new Bench();

    @ParameterizedTest
    @EnumSource(value = Engine.class, mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
    void theSecondBrokerStandsByAndTakesOverWhenTheFirstIsKilled(Engine engine) throws Exception {
        ServerDatabase database = engine.database(bench);
        BrokerProcess first = on(database).start();
        BrokerProcess second = on(database).launch().awaitLog("standing by");

        assertThat(second.isReady()).isFalse();
        assertThat(second.isLive()).isTrue();
        assertThat(Ports.isFree(second.amqpPort()))
                .as("a stand-by does not listen")
                .isTrue();
        assertThat(second.http("/actuator/health/readiness").body()).contains("standing by");
        Jms.send(first.amqpUrl(), "orders", MESSAGES);

        first.kill();
        second.awaitReady();

        assertThat(Jms.receive(second.amqpUrl(), "orders", MESSAGES)).isEqualTo(Jms.bodies(MESSAGES));
    }

    @ParameterizedTest
    @EnumSource(value = Engine.class, mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
    void aPausedOwnerIsFencedWritesNothingAndStandsBy(Engine engine) throws Exception {
        ServerDatabase database = engine.database(bench);
        BrokerProcess first = on(database).start();
        BrokerProcess second = on(database).launch().awaitLog("standing by");
        Jms.send(first.amqpUrl(), "orders", MESSAGES);
        RawAmqp publisher = bench.closing(RawAmqp.socket(first.amqpPort()).open("publisher"));
        publisher.attachSender(0, "orders");

        first.pause();
        // They wait in the socket of the paused broker, which will try to store them when it goes on.
        IntStream.range(0, MESSAGES).forEach(id -> publisher.transfer(0, id, "late " + id));
        second.awaitReady();
        Jms.send(second.amqpUrl(), "invoices", 1);
        Map<String, String> before = tablesAtRest(database);

        first.resume();
        await().atMost(Duration.ofSeconds(60)).until(() -> first.log().contains("STANDBY"));
        assertThat(accepted(publisher)).as("outcomes of the fenced broker").isZero();
        assertThat(database.tables()).isEqualTo(before);
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
        BrokerProcess first = bench.sharedBroker(Engine.SQLITE, BrokerSettings::usual);
        BrokerProcess second = bench.broker(
                settings -> settings.with("ringtable.data-dir", first.settings().dataDir()));

        assertThat(second.launch().awaitExit(Duration.ofSeconds(60))).isNotZero();

        assertThat(second.log())
                .contains("RT-1008", first.settings().dataDir().toString(), "is in use by another broker");
    }

    @Test
    void aSqliteFileInUseIsRefusedByName() throws Exception {
        BrokerProcess first = bench.sharedBroker(Engine.SQLITE, BrokerSettings::usual);
        Jms.send(first.amqpUrl(), "in-use", MESSAGES);
        String file = first.settings().dataDir().resolve("ringtable.db").toString();
        BrokerProcess second = bench.broker(settings -> settings.with("ringtable.store.url", "jdbc:sqlite:" + file));

        assertThat(second.launch().awaitExit(Duration.ofSeconds(60))).isNotZero();

        assertThat(second.log()).contains("RT-3024", file, "is in use by process " + first.pid());
        assertThat(Jms.receive(first.amqpUrl(), "in-use", MESSAGES)).isEqualTo(Jms.bodies(MESSAGES));
    }

    /** With a small ring, all of which is looked at. */
    private BrokerProcess on(ServerDatabase database) {
        return bench.broker(settings -> settings.store(database)
                .with("ringtable.ring.capacity", 8_192)
                .with("ringtable.commit.batch-messages-max", 2_000)
                .with("ringtable.lease", LEASE.toSeconds() + "s"));
    }

    /** Once two looks show the same. */
    private static Map<String, String> tablesAtRest(ServerDatabase database) throws SQLException {
        Map<String, String> look = database.tables();
        for (int i = 0; i < 100; i++) {
            Map<String, String> next = database.tables();
            if (next.equals(look)) {
                return next;
            }
            look = next;
        }
        throw new IllegalStateException("the tables do not come to rest: " + look);
    }

    /** Counts to the end of the connection: a stand-by has none. */
    private static int accepted(RawAmqp publisher) {
        int accepted = 0;
        for (AmqpFrames.Frame frame = publisher.read(ENDS); frame != null; frame = publisher.read(ENDS)) {
            if (frame.performative() instanceof Disposition disposition && disposition.getState() instanceof Accepted) {
                accepted++;
            }
        }
        assertThat(publisher.isEnded()).isTrue();
        return accepted;
    }
}
