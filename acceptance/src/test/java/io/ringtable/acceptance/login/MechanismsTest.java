package io.ringtable.acceptance.login;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.interop.ProcessClient;
import io.ringtable.broker.TestCertificate;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSSecurityRuntimeException;
import jakarta.jms.Queue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.apache.qpid.protonj2.client.Client;
import org.apache.qpid.protonj2.client.Connection;
import org.apache.qpid.protonj2.client.ConnectionOptions;
import org.apache.qpid.protonj2.client.Message;
import org.apache.qpid.protonj2.client.exceptions.ClientException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients that others wrote log in to one broker, whose certificate and users allow every mechanism: Qpid JMS, the
 * client of protonj2, python-qpid-proton and rhea.
 */
class MechanismsTest {
    private static final String USER = "shop";
    private static final String PASSWORD = "pencil";
    private static final List<String> TOKENS = List.of("OAUTHBEARER", "XOAUTH2");

    @RegisterExtension
    static final Bench BENCH = new Bench();

    @TempDir
    private static Path files;

    private static TokenIssuer issuer;
    private static TestCertificate ofShop;
    private static BrokerProcess broker;

    @BeforeAll
    static void start() throws Exception {
        TestCertificate ofBroker = TestCertificate.make(files, "broker", "CN=localhost");
        ofShop = TestCertificate.make(files, "shop", "CN=" + USER);
        issuer = new TokenIssuer();
        Path keys = Files.writeString(files.resolve("keys.json"), issuer.keySet());
        broker = BENCH.broker(settings -> settings.with("ringtable.amqp.tls.certificate", ofBroker.certificate())
                        .with("ringtable.amqp.tls.private-key", ofBroker.privateKey())
                        .with("ringtable.amqp.tls.client-auth", "want")
                        .with("ringtable.amqp.tls.trust-certificates", ofShop.certificate())
                        .with("ringtable.security.users[0].name", USER)
                        .with("ringtable.security.users[0].password", "{noop}" + PASSWORD)
                        .with("ringtable.security.oauth.jwks", "file:" + keys)
                        .with("ringtable.security.oauth.issuer", TokenIssuer.NAME)
                        .with("ringtable.security.oauth.audience", "ringtable"))
                .start();
    }

    private static JMSContext jms(String mechanism, String password) {
        String certificate = mechanism.equals("EXTERNAL")
                ? "&transport.keyStoreLocation=" + ofShop.keyStore() + "&transport.keyStorePassword="
                        + TestCertificate.PASSWORD
                : "";
        return new JmsConnectionFactory("amqps://127.0.0.1:" + broker.amqpPort()
                        + "?jms.connectTimeout=10000&transport.trustAll=true&transport.verifyHost=false"
                        + "&amqp.saslMechanisms=" + mechanism + certificate)
                .createContext(USER, password);
    }

    private static String secret(String mechanism) throws Exception {
        return TOKENS.contains(mechanism) ? issuer.token(USER, "ringtable") : PASSWORD;
    }

    @ParameterizedTest
    @ValueSource(strings = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "EXTERNAL", "XOAUTH2"})
    void qpidJmsLogsIn(String mechanism) throws Exception {
        try (JMSContext context = jms(mechanism, secret(mechanism))) {
            Queue queue = context.createQueue("by " + mechanism);
            context.createProducer().send(queue, "hello");
            assertThat(context.createConsumer(queue).receiveBody(String.class, 60_000))
                    .isEqualTo("hello");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "XOAUTH2"})
    void qpidJmsIsRefusedWithAnotherSecret(String mechanism) throws Exception {
        String wrong = mechanism.equals("XOAUTH2") ? issuer.token(USER, "another service") : "wrong-pass";
        assertThatThrownBy(() -> jms(mechanism, wrong)).isInstanceOf(JMSSecurityRuntimeException.class);
        assertThat(broker.log()).contains("RT-4038").doesNotContain(wrong);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "XOAUTH2"})
    void protonj2LogsIn(String mechanism) throws Exception {
        ConnectionOptions options = new ConnectionOptions().user(USER).password(secret(mechanism));
        options.saslOptions().addAllowedMechanism(mechanism);
        options.sslOptions().sslEnabled(true).trustAll(true).verifyHost(false);
        try (Client client = Client.create();
                Connection connection = client.connect("127.0.0.1", broker.amqpPort(), options)) {
            connection.send(Message.create("hello").to("of protonj2")).awaitSettlement(60, TimeUnit.SECONDS);
        }
    }

    private static ProcessClient client(String language) throws IOException {
        String url = "amqps://127.0.0.1:" + broker.amqpPort();
        return language.equals("python") ? ProcessClient.python(url) : ProcessClient.node(url);
    }

    @ParameterizedTest
    @CsvSource({
        "python, PLAIN",
        "python, EXTERNAL",
        "node, PLAIN",
        "node, EXTERNAL",
        "node, XOAUTH2",
        "node, OAUTHBEARER"
    })
    void protonAndRheaLogIn(String language, String mechanism) throws Exception {
        client(language).login(mechanism, USER, secret(mechanism), ofShop.certificate(), ofShop.privateKey());
        try (JMSContext context = jms("PLAIN", PASSWORD)) {
            assertThat(context.createConsumer(context.createQueue(mechanism)).receiveBody(String.class, 60_000))
                    .isEqualTo("hello");
        }
    }

    @ParameterizedTest
    @CsvSource({"python, PLAIN", "node, XOAUTH2", "node, OAUTHBEARER"})
    void protonAndRheaAreRefusedWithAnotherSecret(String language, String mechanism) throws Exception {
        String wrong = TOKENS.contains(mechanism) ? issuer.token(USER, "another service") : "wrong-pass";
        ProcessClient client = client(language);
        assertThatThrownBy(() -> client.login(mechanism, USER, wrong, ofShop.certificate(), ofShop.privateKey()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("uthenticat");
    }

    @Test
    void protonj2IsRefusedWithAnotherPassword() throws Exception {
        ConnectionOptions options = new ConnectionOptions().user(USER).password("wrong-pass");
        options.reconnectEnabled(false)
                .sslOptions()
                .sslEnabled(true)
                .trustAll(true)
                .verifyHost(false);
        try (Client client = Client.create()) {
            assertThatThrownBy(() -> client.connect("127.0.0.1", broker.amqpPort(), options)
                            .openFuture()
                            .get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(ClientException.class);
        }
    }
}
