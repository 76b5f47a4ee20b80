package io.ringtable.acceptance.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Jms;
import io.ringtable.acceptance.harness.PostgresServer;
import io.ringtable.acceptance.harness.ServerDatabase;
import io.ringtable.acceptance.harness.SmallDisk;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A start that cannot work ends at once, with one line that names what failed and the cure; what is stored stays. */
class RefusedStartTest {
    private static final int MESSAGES = 10;
    private static final Duration AT_ONCE = Duration.ofSeconds(60); // a start takes seconds on a busy machine

    @RegisterExtension
    final Bench bench = new Bench();

    @Test
    void aPortInUseIsNamed() throws Exception {
        BrokerProcess broker = bench.broker().start();
        Jms.send(broker.amqpUrl(), "orders", MESSAGES);
        broker.stop();

        refused(broker, settings -> settings, broker.amqpPort(), "RT-4001", "port " + broker.amqpPort() + " is in use");
        refused(broker, settings -> settings, broker.httpPort(), "RT-1037", "server.port=" + broker.httpPort());

        broker.start();
        assertThat(Jms.receive(broker.amqpUrl(), "orders", MESSAGES)).isEqualTo(Jms.bodies(MESSAGES));
    }

    private static void refused(BrokerProcess broker, UnaryOperator<BrokerSettings> settings, int port, String... words)
            throws Exception {
        try (ServerSocket taken = new ServerSocket()) {
            taken.setReuseAddress(true);
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            assertThat(broker.launch().awaitExit(AT_ONCE)).isNotZero();
        }
        assertThat(broker.log()).contains(words).doesNotContain("\tat ");
    }

    @Test
    void anUnknownPropertyIsNamedAndNothingIsTouched() throws Exception {
        BrokerProcess broker = bench.broker(settings -> settings.with("ringtable.amqp.prot", 5672));

        assertThat(broker.launch().awaitExit(AT_ONCE)).isNotZero();

        assertThat(broker.log())
                .contains("RT-1001", "ringtable.amqp.prot", "ringtable.amqp.port")
                .doesNotContain("\tat ");
        assertThat(broker.settings().dataDir()).doesNotExist();
    }

    @Test
    void aWrongPasswordOfPostgresqlIsNamedAndNotShown() {
        PostgresServer server = bench.postgres();
        server.askForPasswords();
        refused(new ServerDatabase(server.createDatabase(), server.username(), "wrong-pass"));
    }

    @Test
    void aWrongPasswordOfSqlServerIsNamedAndNotShown() {
        ServerDatabase database = Engine.SQLSERVER.database(bench);
        refused(new ServerDatabase(database.url(), database.username(), "wrong-pass"));
    }

    private void refused(ServerDatabase database) {
        BrokerProcess broker = bench.broker(settings -> settings.store(database));

        assertThat(broker.launch().awaitExit(AT_ONCE)).isNotZero();

        assertThat(broker.log())
                .containsPattern("RT-3\\d{3} ")
                .contains(database.username())
                .doesNotContain(database.password())
                .doesNotContain("\tat ");
    }

    @Test
    void aReadOnlyDiskIsNamedAndNothingIsLost() throws Exception {
        SmallDisk disk = bench.closing(SmallDisk.mount(bench.directory().resolve("disk"), 64));
        BrokerProcess broker = onDisk(disk).start();
        Jms.send(broker.amqpUrl(), "orders", MESSAGES);
        broker.stop();

        disk.makeReadOnly();
        assertThat(broker.launch().awaitExit(AT_ONCE)).isNotZero();
        assertThat(broker.log())
                .containsPattern("RT-\\d{4} .*" + disk.directory())
                .containsIgnoringCase("read-only")
                .doesNotContain("\tat ");

        disk.makeWritable();
        broker.start();
        assertThat(Jms.receive(broker.amqpUrl(), "orders", MESSAGES)).isEqualTo(Jms.bodies(MESSAGES));
    }

    @Test
    void aFullDiskIsNamedAndTheNextStartSucceeds() throws Exception {
        SmallDisk disk = bench.closing(SmallDisk.mount(bench.directory().resolve("disk"), 64));
        disk.fill(64);
        BrokerProcess broker = onDisk(disk);

        assertThat(broker.launch().awaitExit(AT_ONCE)).isNotZero();
        assertThat(broker.log())
                .contains("RT-3012", "free space")
                .containsIgnoringCase("full")
                .doesNotContain("\tat ");

        disk.makeRoom();
        broker.start();
        Jms.send(broker.amqpUrl(), "orders", MESSAGES);
        assertThat(Jms.receive(broker.amqpUrl(), "orders", MESSAGES)).isEqualTo(Jms.bodies(MESSAGES));
    }

    private BrokerProcess onDisk(SmallDisk disk) {
        Path data = disk.directory().resolve("data");
        return bench.broker(settings ->
                settings.with("ringtable.data-dir", data).oneShard().with("ringtable.ring.capacity", 16_384));
    }
}
