package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import io.ringtable.wire.ScramHash;
import io.ringtable.wire.ScramVerifier;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.JMSSecurityRuntimeException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;

/** Each mechanism with Qpid JMS, against users whose passwords are stored in each way. */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class SaslScenarioTest {
    private static final byte[] SALT = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final String PASSWORD = "pencil";

    @TempDir
    private static Path directory;

    private static TestBroker broker;
    private static String elsewhere;

    @BeforeAll
    static void start() throws Exception {
        elsewhere = addressOfThisMachine().getHostAddress();
        broker = TestBroker.start(
                directory.resolve("mixed"),
                users(
                                "bcrypt",
                                "{bcrypt}" + new BCryptPasswordEncoder(4).encode(PASSWORD),
                                "scram256",
                                ScramVerifier.of(ScramHash.SHA_256, PASSWORD, SALT, 5_000)
                                        .notation(),
                                "scram512",
                                ScramVerifier.of(ScramHash.SHA_512, PASSWORD, SALT, 5_000)
                                        .notation(),
                                "plain",
                                "{noop}" + PASSWORD,
                                "till",
                                "{external}")
                        .with("ringtable.amqp.host", "0.0.0.0"));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static InetAddress addressOfThisMachine() throws Exception {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
                .findFirst()
                .orElseThrow(() -> new AssertionError("this machine has no network, which the test needs"));
    }

    private static TestSettings users(String... namesAndPasswords) {
        TestSettings settings = TestSettings.of();
        for (int i = 0; i < namesAndPasswords.length; i += 2) {
            String user = "ringtable.security.users[" + i / 2 + "].";
            settings = settings.with(user + "name", namesAndPasswords[i], user + "password", namesAndPasswords[i + 1]);
        }
        return settings;
    }

    private static void login(TestBroker to, String host, String user, String password, String mechanisms) {
        JmsConnectionFactory factory = new JmsConnectionFactory("amqp://" + host + ":" + to.port()
                + "?jms.connectTimeout=10000" + (mechanisms.isEmpty() ? "" : "&amqp.saslMechanisms=" + mechanisms));
        try (JMSContext context = factory.createContext(user, password)) {
            context.createProducer().send(context.createQueue("of " + user), "hello");
        }
    }

    private static void isRefused(String user, String password, String mechanism) {
        assertThatThrownBy(() -> login(broker, "127.0.0.1", user, password, mechanism))
                .as(user + " " + mechanism)
                .isInstanceOf(JMSSecurityRuntimeException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "bcrypt, PLAIN",
        "scram256, PLAIN",
        "scram512, PLAIN",
        "plain, PLAIN",
        "scram256, SCRAM-SHA-256",
        "plain, SCRAM-SHA-256",
        "scram512, SCRAM-SHA-512",
        "plain, SCRAM-SHA-512",
    })
    void aUserLogsInWithAMechanismThatItsPasswordFits(String user, String mechanism) {
        login(broker, "127.0.0.1", user, PASSWORD, mechanism);
        isRefused(user, "wrong", mechanism);
    }

    @ParameterizedTest
    @CsvSource({
        "bcrypt, SCRAM-SHA-256",
        "scram256, SCRAM-SHA-512",
        "scram512, SCRAM-SHA-256",
        "till, SCRAM-SHA-256",
        "till, PLAIN",
        "nobody, SCRAM-SHA-512",
        "nobody, PLAIN",
    })
    void othersAreRefusedAsIfThePasswordWereWrong(String user, String mechanism, CapturedOutput output) {
        isRefused(user, PASSWORD, mechanism);
        assertThat(output.getAll()).contains("wrong name or password for '" + user + "'");
    }

    @Test
    void failedProofsPutOffAsWrongPasswordsDo(CapturedOutput output) throws Exception {
        try (TestBroker other = TestBroker.start(
                directory.resolve("strict"),
                users("shop", "{noop}" + PASSWORD).with("ringtable.security.login-failures-max", 2))) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> login(other, "127.0.0.1", "shop", "wrong", "SCRAM-SHA-512"))
                        .isInstanceOf(JMSSecurityRuntimeException.class);
            }
            for (String mechanism : new String[] {"SCRAM-SHA-512", "PLAIN"}) {
                assertThatThrownBy(() -> login(other, "127.0.0.1", "shop", PASSWORD, mechanism))
                        .as(mechanism)
                        .isInstanceOf(JMSRuntimeException.class);
            }
            assertThat(other.counters().loginsPutOff.sum()).isEqualTo(2);
            assertThat(other.counters().loginsFailed.sum()).isEqualTo(2);
            assertThat(output.getAll()).contains("RT-4331 login of 'shop' put off");
        }
    }

    @Test
    void plainIsNotForOtherMachinesWithoutTls(CapturedOutput output) throws Exception {
        login(broker, elsewhere, "plain", PASSWORD, "");
        assertThatThrownBy(() -> login(broker, elsewhere, "plain", PASSWORD, "PLAIN"))
                .isInstanceOf(JMSSecurityRuntimeException.class);
        Awaitility.await().untilAsserted(() -> assertThat(output.getAll()).contains("RT-4336 login refused"));
        long before = broker.counters().loginsFailed.sum();
        try (SaslPeer blind = new SaslPeer(elsewhere, elsewhere, broker.port(), "plain", PASSWORD)) {
            assertThat(blind.outcome()).isEqualTo(SaslPeer.AUTH);
        }
        assertThat(broker.counters().loginsFailed.sum()).isEqualTo(before + 1);
        assertThat(output.getAll()).contains("PLAIN, OAUTHBEARER and XOAUTH2 show their secret");
    }

    @Test
    void plainIsForOtherMachinesWhereAPropertyAllowsIt() {
        TestSettings settings = users("shop", "{bcrypt}" + new BCryptPasswordEncoder(4).encode(PASSWORD))
                .with("ringtable.amqp.host", "0.0.0.0");
        try (TestBroker other = TestBroker.start(directory.resolve("closed"), settings)) {
            assertThatThrownBy(() -> login(other, elsewhere, "shop", PASSWORD, ""))
                    .isInstanceOf(JMSSecurityRuntimeException.class);
            login(other, "127.0.0.1", "shop", PASSWORD, "");
        }
        try (TestBroker other = TestBroker.start(
                directory.resolve("open"), settings.with("ringtable.security.allow-plain-remote", true))) {
            login(other, elsewhere, "shop", PASSWORD, "");
        }
    }

    @Test
    void aMixtureOfPasswordsIsWarnedOf(CapturedOutput output) {
        users("bcrypt", "{bcrypt}" + new BCryptPasswordEncoder(4).encode(PASSWORD), "plain", "{noop}" + PASSWORD)
                .logins();
        assertThat(output.getAll()).contains("RT-1059 users [bcrypt] have no password for some of [SCRAM-SHA-256, ");
    }
}
