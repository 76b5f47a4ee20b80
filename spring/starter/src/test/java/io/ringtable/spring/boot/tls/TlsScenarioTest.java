package io.ringtable.spring.boot.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.MemoryDirectory;
import io.ringtable.broker.TestSettings;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.spring.boot.OneBroker;
import io.ringtable.spring.boot.OwnBroker;
import io.ringtable.spring.boot.RingtableConnectionAutoConfiguration;
import io.ringtable.spring.boot.client.RingtableClientAutoConfiguration;
import io.ringtable.spring.boot.jms.RingtableJmsAutoConfiguration;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.jms.autoconfigure.JmsAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.jms.core.JmsTemplate;

/** TLS by an SSL bundle, and logins, for JMS and for the SDK. The certificate names localhost and no address. */
@Timeout(120)
class TlsScenarioTest {
    private static final String STORE_PASSWORD = "changeit";

    @TempDir(factory = MemoryDirectory.class)
    static Path directory;

    private static OwnBroker broker;
    private static Path keyStore;

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    SslAutoConfiguration.class,
                    RingtableConnectionAutoConfiguration.class,
                    RingtableJmsAutoConfiguration.class,
                    RingtableClientAutoConfiguration.class,
                    JmsAutoConfiguration.class))
            .withPropertyValues(
                    "ringtable.client.uris=amqps://localhost:" + broker.port(),
                    "ringtable.client.user=shop",
                    "ringtable.client.password=secret",
                    "spring.ssl.bundle.jks.broker.truststore.location=file:" + keyStore,
                    "spring.ssl.bundle.jks.broker.truststore.password=" + STORE_PASSWORD,
                    "spring.ssl.bundle.jks.broker.options.enabled-protocols=TLSv1.3");

    @BeforeAll
    static void start() throws Exception {
        keyStore = directory.resolve("broker.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keystore",
                        keyStore.toString(),
                        "-storepass",
                        STORE_PASSWORD,
                        "-alias",
                        "broker",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=broker",
                        "-ext",
                        "san=dns:localhost",
                        "-validity",
                        "2")
                .inheritIO()
                .start();
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(keytool.exitValue()).isZero();
        broker = new OwnBroker(
                directory,
                TestSettings.of(
                                "ringtable.amqp.tls.key-store", keyStore,
                                "ringtable.amqp.tls.password", STORE_PASSWORD)
                        .authenticator((name, password) -> name.equals("shop") && password.equals("secret")));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Test
    void aBundleSaysWhatBothTrust() {
        runner.withPropertyValues("ringtable.client.ssl.bundle=broker").run(roundTrips());
    }

    @Test
    void aNameThatTheCertificateDoesNotHoldIsRefusedUnlessToldNotToLook() {
        ApplicationContextRunner byAddress = runner.withPropertyValues(
                "ringtable.client.ssl.bundle=broker", "ringtable.client.uris=amqps://127.0.0.1:" + broker.port());
        byAddress.run(bothRefuse("No subject alternative names matching IP address", "RT-5004"));
        byAddress.withPropertyValues("ringtable.client.ssl.verify-host=false").run(roundTrips());
    }

    @Test
    void withoutABundleTheJdksTrustStoreDecides() {
        runner.run(bothRefuse("unable to find valid certification path", "RT-5004"));
    }

    @Test
    void aWrongPasswordIsRefusedAtOnce() {
        runner.withPropertyValues("ringtable.client.ssl.bundle=broker", "ringtable.client.password=guess")
                .run(bothRefuse("Client failed to authenticate", "RT-5003"));
    }

    @Test
    void aBundleThatAPlainConnectionWouldLeaveAsideIsRefused() {
        runner.withPropertyValues(
                        "ringtable.client.ssl.bundle=broker", "ringtable.client.uris=amqp://localhost:" + broker.port())
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("RT-5001 there is an SSL bundle")
                        .hasMessageContaining("write amqps://"));
    }

    private static ContextConsumer<AssertableApplicationContext> roundTrips() {
        return context -> {
            JmsTemplate jms = context.getBean(JmsTemplate.class);
            jms.setReceiveTimeout(OneBroker.SOON.toMillis());
            jms.convertAndSend("tls-jms", "by JMS");
            assertThat(jms.receiveAndConvert("tls-jms")).isEqualTo("by JMS");
            RingtableClient client = context.getBean(RingtableClient.class);
            try (Publisher publisher = client.publisher("queue://tls-sdk");
                    Receiver receiver = client.receiver("queue://tls-sdk")) {
                publisher.publishAndWait(Message.text("by the SDK"));
                assertThat(receiver.receive(OneBroker.SOON).orElseThrow().text())
                        .isEqualTo("by the SDK");
            }
        };
    }

    private static ContextConsumer<AssertableApplicationContext> bothRefuse(String ofJms, String ofTheSdk) {
        return context -> {
            JmsTemplate jms = context.getBean(JmsTemplate.class);
            assertThatThrownBy(() -> jms.convertAndSend("tls-jms", "never")).hasStackTraceContaining(ofJms);
            assertThatThrownBy(() -> context.getBean(RingtableClient.class)).hasStackTraceContaining(ofTheSdk);
        };
    }
}
