package io.ringtable.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import java.io.File;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** TLS and passwords against the broker itself. The certificate names localhost and no address. */
@Timeout(120)
class SecurityScenarioTest {

    private static final String STORE_PASSWORD = "changeit";

    @TempDir
    static Path directory;

    private static Path keyStore;
    private static Path pem;
    private static RealBroker broker;

    @BeforeAll
    static void start() throws Exception {
        keyStore = directory.resolve("broker.p12");
        pem = directory.resolve("broker.pem");
        keytool(
                "-genkeypair",
                "-alias",
                "broker",
                "-keyalg",
                "EC",
                "-dname",
                "CN=broker",
                "-ext",
                "san=dns:localhost",
                "-validity",
                "2");
        keytool("-exportcert", "-alias", "broker", "-rfc", "-file", pem.toString());
        broker = RealBroker.start(
                directory,
                TestSettings.of(
                        "ringtable.amqp.tls.key-store",
                        keyStore,
                        "ringtable.amqp.tls.password",
                        STORE_PASSWORD,
                        "ringtable.security.users[0].name",
                        "shop",
                        "ringtable.security.users[0].password",
                        "{noop}secret"));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static void keytool(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "keytool",
                "-keystore",
                keyStore.toString(),
                "-storepass",
                STORE_PASSWORD));
        command.addAll(1, List.of(arguments));
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    private static ClientBuilder client(String host) {
        return RingtableClient.builder()
                .uri("amqps://" + host + ":" + broker.port())
                .user("shop", () -> "secret");
    }

    private static void roundTrip(RingtableClient client) {
        try (Publisher publisher = client.publisher("queue://tls");
                Receiver receiver = client.receiver("queue://tls")) {
            publisher.publishAndWait(Message.text("secret"));
            assertThat(receiver.receive(Duration.ofSeconds(60)).orElseThrow().text())
                    .isEqualTo("secret");
        }
    }

    @Test
    void trustsTheCertificateOfAPemFile() {
        try (RingtableClient client =
                client("localhost").tls(TlsOptions.DEFAULT.trustPem(pem)).connect()) {
            roundTrip(client);
        }
    }

    @Test
    void provesItsPasswordAndDoesNotSendIt() {
        try (RingtableClient client =
                client("localhost").tls(TlsOptions.DEFAULT.trustPem(pem)).connect()) {
            roundTrip(client);
        }
        assertThat(broker.passwordsChecked()).isZero();
    }

    @Test
    void trustsTheCertificateOfATrustStore() {
        TlsOptions options = TlsOptions.DEFAULT.trustStore(keyStore, STORE_PASSWORD::toCharArray);
        try (RingtableClient client = client("localhost").tls(options).connect()) {
            roundTrip(client);
        }
    }

    @Test
    void asksTheApplicationsTrustManagersForEachConnection() throws Exception {
        KeyStore store = KeyStore.getInstance(keyStore.toFile(), STORE_PASSWORD.toCharArray());
        TrustManagerFactory trusting = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusting.init(store);
        AtomicInteger asked = new AtomicInteger();
        TlsOptions options = TlsOptions.DEFAULT
                .trustManagers(() -> {
                    asked.incrementAndGet();
                    return trusting;
                })
                .protocols(List.of("TLSv1.3"));
        try (RingtableClient client = client("localhost").tls(options).connect()) {
            roundTrip(client);
        }
        client("localhost").tls(options).connect().close();
        assertThat(asked).hasValue(2);
        assertThatThrownBy(() -> client("localhost")
                        .tls(options.ciphers(List.of("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")))
                        .connect())
                .as("a suite that TLS 1.3 does not have")
                .hasMessageContaining("RT-500");
    }

    @Test
    void refusesACertificateThatNobodyItTrustsHasSigned() {
        assertThatThrownBy(() -> client("localhost").connect())
                .isInstanceOfSatisfying(
                        RingtableException.class,
                        failure -> assertThat(failure.code()).isEqualTo("RT-5004"));
    }

    @Test
    void refusesACertificateThatDoesNotNameTheHostUnlessToldNotToLook() {
        TlsOptions options = TlsOptions.DEFAULT.trustPem(pem);
        assertThatThrownBy(() -> client("127.0.0.1").tls(options).connect()).hasMessageContaining("RT-5004");
        try (RingtableClient client =
                client("127.0.0.1").tls(options.verifyHost(false)).connect()) {
            assertThat(client.isConnected()).isTrue();
        }
    }

    @Test
    void refusesAWrongPasswordAtOnce() {
        assertThatThrownBy(() -> client("localhost")
                        .tls(TlsOptions.DEFAULT.trustPem(pem))
                        .user("shop", () -> "guess")
                        .waitForBroker(Duration.ofSeconds(60))
                        .connect())
                .hasMessageContaining("RT-5003")
                .hasMessageNotContaining("guess");
    }

    @Test
    void refusesAClientWithoutAUserByName() {
        assertThatThrownBy(() -> RingtableClient.builder()
                        .uri("amqps://localhost:" + broker.port())
                        .tls(TlsOptions.DEFAULT.trustPem(pem))
                        .connect())
                .hasMessageContaining("RT-5003")
                .hasMessageContaining("ANONYMOUS");
    }

    @Test
    void saysSoIfThePortSpeaksTlsAndTheUriDoesNotOrTheFileIsNotThere() {
        assertThatThrownBy(() -> RingtableClient.builder()
                        .uri("amqp://localhost:" + broker.port())
                        .connectTimeout(Duration.ofSeconds(1))
                        .connect())
                .hasMessageContaining("RT-5002");
        assertThatThrownBy(() -> client("localhost")
                        .tls(TlsOptions.DEFAULT.trustPem(directory.resolve("nowhere.pem")))
                        .connect())
                .hasMessageContaining("RT-5001")
                .hasMessageContaining("nowhere.pem");
    }
}
