package io.ringtable.cli.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.cli.bridge.BridgeTask.Recognition;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.test.driver.ProtonTestServer;
import org.apache.qpid.protonj2.test.driver.ProtonTestServerOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests frame by frame what a bridge says to brokers that cannot be started here, on both sides. */
@Timeout(120)
class BridgeProtocolTest {
    private static final Duration PATIENCE = Duration.ofMillis(300);
    private static final byte[] FIRST_OF_RINGTABLE = "B.C.D".getBytes(StandardCharsets.US_ASCII);

    private static final String STORE_PASSWORD = "of-this-test";

    @TempDir
    static Path directory;

    private final ProtonTestServer from = new ProtonTestServer();
    private final ProtonTestServer to = new ProtonTestServer();

    @BeforeAll
    static void makeCertificate() throws Exception {
        keytool("-genkeypair", "-alias", "b", "-keyalg", "EC", "-dname", "CN=b", "-ext", "SAN=ip:127.0.0.1");
        keytool(
                "-exportcert",
                "-alias",
                "b",
                "-rfc",
                "-file",
                directory.resolve("broker.pem").toString());
    }

    private static Path keys() {
        return directory.resolve("keys.p12");
    }

    @BeforeEach
    void start() {
        from.start();
        to.start();
    }

    @AfterEach
    void stop() {
        from.close();
        to.close();
    }

    @Test
    void refusesATargetThatStoresWhatItIsSentTwice() {
        opens(from, "Ringtable");
        opens(to, "RabbitMQ");
        from.expectClose().respond();
        to.expectClose().respond();

        assertFails(bridge(Recognition.BY_ID), BridgeFailure.Reason.FINAL, "RT-6025 ");
        done();
    }

    @Test
    void movesToSuchATargetIfDuplicatesAreAllowed() throws Exception {
        opens(from, "Ringtable");
        opens(to, "RabbitMQ");
        attachesSource();
        attachesTarget();
        to.expectTransfer().withNonNullPayload().accept();
        from.expectDisposition().withSettled(false).withState().accepted();
        from.remoteDisposition()
                .withRole(false)
                .withFirst(0)
                .withSettled(true)
                .withState()
                .accepted()
                .queue();
        from.expectFlow().withLinkCredit(10);
        from.expectDetach().withClosed(true).respond();
        from.expectClose().respond();
        to.expectClose().respond();

        Bridge bridge = bridge(Recognition.NONE);
        bridge.run(new Silent());

        assertThat(bridge.tally().moved()).isEqualTo(1);
        done();
    }

    @Test
    void aMessageThatTheTargetRejectsIsGivenBackUnsettled() {
        opens(from, "Ringtable");
        opens(to, "Ringtable");
        attachesSource();
        attachesTarget();
        to.expectTransfer().withNonNullPayload().reject("amqp:decode-error", "no such thing");
        from.expectDetach().withClosed(true).respond(); // no disposition before it
        from.expectClose().respond();
        to.expectClose().respond();

        assertFails(bridge(Recognition.BY_ID), BridgeFailure.Reason.FINAL, "RT-6024 ");
        done();
    }

    /** The target opens its connection after the bridge has given up, as the source is not there. */
    @Test
    @Timeout(20) // left open, the connection would end with the idle time-out
    void endsAConnectionThatIsNotOpenYet() {
        opens(to, "Ringtable");
        Bridge bridge = bridge(Recognition.BY_ID);
        from.close();

        assertFails(bridge, BridgeFailure.Reason.PASSING, "RT-6022 ");
    }

    @Test
    void saysThatALoginIsRefusedAndShowsNoPassword() {
        opens(from, "Ringtable");
        to.expectFailingSASLPlainConnect((byte) 1, "PLAIN");
        BridgeEnd target = end(to).user("shop", () -> "secret");

        assertThatThrownBy(() -> new Bridge(task(target, Recognition.BY_ID)).run(new Silent()))
                .isInstanceOfSatisfying(
                        BridgeFailure.class,
                        failure -> assertThat(failure.reason()).isEqualTo(BridgeFailure.Reason.LOGIN))
                .hasMessageStartingWith("RT-6021 ")
                .hasMessageContaining("'shop'")
                .hasMessageNotContaining("secret");
    }

    @Test
    void trustsTheCertificateThatItIsGiven() {
        try (ProtonTestServer secure = secure()) {
            opens(from, "Ringtable");
            opens(secure, "RabbitMQ");
            from.expectClose().respond();
            secure.expectClose().respond();

            BridgeEnd target = secureEnd(secure).trustedPem(directory.resolve("broker.pem"));

            assertFails(new Bridge(task(target, Recognition.BY_ID)), BridgeFailure.Reason.FINAL, "RT-6025 ");
            secure.waitForScriptToComplete(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void trustsNoOtherCertificate() {
        try (ProtonTestServer secure = secure()) {
            opens(from, "Ringtable");

            assertFails(
                    new Bridge(task(secureEnd(secure), Recognition.BY_ID)),
                    BridgeFailure.Reason.LOGIN,
                    "RT-6021 TLS with ");
        }
    }

    @Test
    void namesAFileOfCertificatesThatIsNotThere() {
        BridgeEnd target = BridgeEnd.parse("--to", "amqps://127.0.0.1/orders").trustedPem(directory.resolve("none"));

        assertFails(new Bridge(task(target, Recognition.BY_ID)), BridgeFailure.Reason.USAGE, "RT-6020 ");
    }

    /** Starts a server with the certificate of the class. */
    private static ProtonTestServer secure() {
        ProtonTestServerOptions options = new ProtonTestServerOptions();
        options.setSecure(true).setKeyStoreLocation(keys().toString()).setKeyStorePassword(STORE_PASSWORD);
        ProtonTestServer server = new ProtonTestServer(options);
        server.start();
        return server;
    }

    private static BridgeEnd secureEnd(ProtonTestServer secure) {
        return BridgeEnd.parse(
                "--to", "amqps://127.0.0.1:" + secure.getServerURI().getPort() + "/orders");
    }

    private static void keytool(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-keystore", keys().toString(), "-storetype", "PKCS12", "-storepass", STORE_PASSWORD));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }

    private static void opens(ProtonTestServer peer, String product) {
        peer.expectSASLAnonymousConnect();
        peer.expectOpen().respond().withProperties(Map.of("product", product));
    }

    /** Attaches the receiver and sends one message on its credit. */
    private void attachesSource() {
        from.expectBegin().respond();
        from.expectAttach().ofReceiver().respond();
        from.expectFlow().withLinkCredit(10);
        from.remoteTransfer()
                .withHandle(0)
                .withDeliveryId(0)
                .withDeliveryTag(FIRST_OF_RINGTABLE)
                .withMessageFormat(0)
                .withMore(false)
                .withBody()
                .withString("one")
                .also()
                .queue();
    }

    private void attachesTarget() {
        to.expectBegin().respond();
        to.expectAttach().ofSender().respond();
        to.remoteFlow().withLinkCredit(10).queue();
    }

    private Bridge bridge(Recognition recognition) {
        return new Bridge(task(end(to), recognition));
    }

    private BridgeTask task(BridgeEnd target, Recognition recognition) {
        return new BridgeTask(end(from), target, "bridge", recognition, Long.MAX_VALUE, PATIENCE, 10);
    }

    private static BridgeEnd end(ProtonTestServer peer) {
        return BridgeEnd.parse(
                "--from", "amqp://127.0.0.1:" + peer.getServerURI().getPort() + "/orders");
    }

    private void done() {
        from.waitForScriptToComplete(60, TimeUnit.SECONDS);
        to.waitForScriptToComplete(60, TimeUnit.SECONDS);
    }

    private static void assertFails(Bridge bridge, BridgeFailure.Reason reason, String code) {
        assertThatThrownBy(() -> bridge.run(new Silent()))
                .isInstanceOfSatisfying(
                        BridgeFailure.class,
                        failure -> assertThat(failure.reason()).isEqualTo(reason))
                .hasMessageStartingWith(code);
    }

    private static final class Silent implements Bridge.Listener {
        @Override
        public void progress(BridgeTally tally) {}

        @Override
        public void interrupted(String why) {}
    }
}
