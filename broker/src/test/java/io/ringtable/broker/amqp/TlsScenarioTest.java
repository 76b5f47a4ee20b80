package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestCertificate;
import io.ringtable.broker.TestSettings;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.JMSSecurityRuntimeException;
import jakarta.jms.Queue;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class TlsScenarioTest {
    private static final String USER = "ringtable.security.users[0].";

    @TempDir
    private static Path certificates;

    private static TestCertificate ofBroker;
    private static TestCertificate ofShop;
    private static TestCertificate ofStranger;

    @TempDir
    private Path directory;

    @BeforeAll
    static void makeCertificates() throws Exception {
        ofBroker = TestCertificate.make(certificates, "broker", "CN=localhost");
        ofShop = TestCertificate.make(
                certificates, "shop", "CN=shop, OU=Sales, O=Acme", "dns:shop.example.org", "dns:shop.example.com");
        ofStranger = TestCertificate.make(certificates, "stranger", "CN=shop");
    }

    private static JmsConnectionFactory clients(TestBroker broker, TestCertificate own, String options) {
        return new JmsConnectionFactory("amqps://127.0.0.1:" + broker.port()
                + "?transport.trustAll=true&transport.verifyHost=false&jms.connectTimeout=10000" + options
                + (own == null
                        ? ""
                        : "&transport.keyStoreLocation=" + own.keyStore() + "&transport.keyStorePassword="
                                + TestCertificate.PASSWORD));
    }

    private static void assertServes(JmsConnectionFactory factory) {
        try (JMSContext context = factory.createContext()) {
            assertServes(context);
        }
    }

    private static void assertServes(JMSContext context) {
        Queue queue = context.createQueue("secret");
        context.createProducer().send(queue, "psst");
        assertThat(context.createConsumer(queue).receiveBody(String.class, 60_000))
                .isEqualTo("psst");
    }

    @Test
    void servesWithAKeyStore() {
        try (TestBroker broker = TestBroker.start(directory, keyStore(TestCertificate.PASSWORD))) {
            assertServes(clients(broker, null, ""));
        }
    }

    @Test
    void servesWithPemFiles() {
        try (TestBroker broker = TestBroker.start(directory, pem(ofBroker.certificate(), ofBroker.privateKey()))) {
            assertServes(clients(broker, null, ""));
        }
    }

    private static TestSettings keyStore(String password) {
        return TestSettings.of(
                "ringtable.amqp.tls.key-store", ofBroker.keyStore(), "ringtable.amqp.tls.password", password);
    }

    private static TestSettings pem(Path certificate, Path privateKey) {
        return TestSettings.of(
                "ringtable.amqp.tls.certificate", certificate, "ringtable.amqp.tls.private-key", privateKey);
    }

    @Test
    void aWrongPasswordIsRefusedAtTheStartAndNotPrinted() throws Exception {
        assertThatThrownBy(() -> TestBroker.start(directory, keyStore("wrong-one")))
                .hasMessageContaining("RT-4003")
                .hasMessageContaining("broker.p12")
                .hasMessageNotContaining("wrong-one");
        Path nonsense = Files.writeString(directory.resolve("nonsense.pem"), "nothing");
        assertThatThrownBy(() -> TestBroker.start(directory, pem(nonsense, nonsense)))
                .hasMessageContaining("RT-4003");
    }

    private static TestSettings clientAuth(String whether, String user, String password) {
        return pem(ofBroker.certificate(), ofBroker.privateKey())
                .with("ringtable.amqp.tls.client-auth", whether)
                .with("ringtable.amqp.tls.trust-certificates", ofShop.certificate())
                .with(USER + "name", user, USER + "password", password, USER + "groups[0]", "sales");
    }

    private static JmsConnectionFactory external(TestBroker broker, TestCertificate own) {
        return clients(broker, own, "&amqp.saslMechanisms=EXTERNAL");
    }

    @Test
    void aCertificateNamesItsUserWhereCertificatesAreNeeded() {
        TestSettings settings =
                clientAuth("need", "shop.example.com", "{external}").with("ringtable.amqp.tls.user-from", "san-dns");
        try (TestBroker broker = TestBroker.start(directory, settings)) {
            try (JMSContext context = external(broker, ofShop).createContext()) {
                context.setClientID("till");
                context.createDurableConsumer(context.createTopic("prices"), "all")
                        .close();
                assertThat(broker.shard().lookup().ownerOf("till")).isEqualTo("shop.example.com");
                assertServes(context);
            }
            assertThatThrownBy(() -> assertServes(clients(broker, null, "")))
                    .as("no certificate")
                    .isInstanceOf(JMSRuntimeException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{external}", "{noop}pencil"})
    void aCertificateOfNobodyIsRefusedWithItsName(String password, CapturedOutput output) {
        try (TestBroker broker = TestBroker.start(directory, clientAuth("want", "office", password))) {
            assertThatThrownBy(() -> assertServes(external(broker, ofShop)))
                    .isInstanceOf(JMSSecurityRuntimeException.class);
            Awaitility.await()
                    .untilAsserted(() -> assertThat(output.getAll())
                            .contains("RT-4338 login refused")
                            .contains("SUBJECT_CN [shop]"));
        }
    }

    /** A certificate may serve the transport alone; Qpid JMS would choose EXTERNAL if it were offered. */
    @Test
    void aClientWithACertificateOfNobodyUsesItsPassword() {
        try (TestBroker broker = TestBroker.start(directory, clientAuth("need", "office", "{noop}pencil"))) {
            assertServes(clients(broker, ofShop, "&jms.username=office&jms.password=pencil"));
        }
    }

    @Test
    void clientsWithAndWithoutCertificateLogInWhereOneIsWanted() {
        try (TestBroker broker = TestBroker.start(directory, clientAuth("want", "shop", "{noop}pencil"))) {
            assertServes(clients(broker, null, "&jms.username=shop&jms.password=pencil"));
            assertServes(external(broker, ofShop));
            assertThatThrownBy(() -> assertServes(external(broker, null)))
                    .isInstanceOf(JMSSecurityRuntimeException.class);
            long failed = broker.counters().loginsFailed.sum();
            assertThatThrownBy(() -> assertServes(external(broker, ofStranger)))
                    .as("a certificate that nobody vouches for")
                    .isInstanceOf(JMSRuntimeException.class);
            assertThat(broker.counters().loginsFailed.sum())
                    .as("logins after the handshake")
                    .isEqualTo(failed);
        }
    }

    @Test
    void clientsThatNobodyVouchesForAreRefusedAtTheStart() {
        TestSettings settings = pem(ofBroker.certificate(), ofBroker.privateKey());
        assertThatThrownBy(() ->
                        settings.with("ringtable.amqp.tls.client-auth", "need").amqp())
                .hasMessageContaining("RT-1125 ringtable.amqp.tls.client-auth=need");
        assertThatThrownBy(() -> settings.with("ringtable.amqp.tls.trust-certificates", ofShop.certificate())
                        .amqp())
                .hasMessageContaining("RT-1126");
        assertThatThrownBy(() ->
                        settings.with("ringtable.amqp.tls.bundle", "broker").amqp())
                .hasMessageContaining("RT-1124");
        assertThatThrownBy(() -> TestBroker.start(directory, TestSettings.of("ringtable.amqp.tls.bundle", "broker")))
                .hasMessageContaining("RT-1127");
    }
}
