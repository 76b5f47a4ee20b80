package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.ringtable.broker.amqp.transport.ServerTls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** The application takes its TLS from a bundle of Spring Boot, and follows it while it runs. */
@Timeout(120)
@ExtendWith({OutputCaptureExtension.class, WithoutBuildProperties.class})
class TlsBundleTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private ConfigurableApplicationContext run(TestCertificate certificate) {
        String pem = "--spring.ssl.bundle.pem.amqp.";
        return SpringApplication.run(
                BrokerApplication.class,
                "--ringtable.data-dir=" + directory.resolve("data"),
                "--ringtable.amqp.port=0",
                "--server.port=0",
                "--ringtable.amqp.tls.bundle=amqp",
                pem + "keystore.certificate=" + certificate.certificate(),
                pem + "keystore.private-key=" + certificate.privateKey(),
                pem + "reload-on-update=true",
                "--spring.ssl.bundle.watch.file.quiet-period=100ms");
    }

    @Test
    void newConnectionsGetTheRenewedCertificateAndOpenOnesStay(CapturedOutput output) throws Exception {
        TestCertificate first = TestCertificate.make(directory, "first", "CN=first");
        TestCertificate second = TestCertificate.make(directory, "second", "CN=second");
        try (ConfigurableApplicationContext application = run(first)) {
            int port = application.getBean(RingtableBroker.class).amqpPort();
            try (SSLSocket open = connect(port)) {
                assertThat(subject(open)).isEqualTo("CN=first");

                second.replace(first);

                Awaitility.await().atMost(PATIENCE).until(() -> {
                    try (SSLSocket later = connect(port)) {
                        return subject(later).equals("CN=second");
                    }
                });
                assertThat(output.getAll()).contains("TLS with bundle amqp has been reloaded");
                open.getOutputStream().write(new byte[] {'A', 'M', 'Q', 'P', 0, 1, 0, 0});
                assertThat(open.getInputStream().readNBytes(4)).isEqualTo(new byte[] {'A', 'M', 'Q', 'P'});
            }

            Files.writeString(first.certificate(), "nonsense");

            Awaitility.await()
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(output.getAll()).contains("RT-4006 TLS with bundle amqp"));
            try (SSLSocket later = connect(port)) {
                assertThat(subject(later)).isEqualTo("CN=second");
            }
        }
    }

    private static String subject(SSLSocket socket) throws Exception {
        return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
                .getSubjectX500Principal()
                .getName();
    }

    private static SSLSocket connect(int port) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), new SecureRandom());
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port);
        socket.setSoTimeout((int) PATIENCE.toMillis());
        socket.startHandshake();
        return socket;
    }

    @Test
    void aBundleThatCannotServeIsRefusedAtTheStart() throws Exception {
        TestCertificate certificate = TestCertificate.make(directory, "broker", "CN=localhost");
        KeyStore keys = KeyStore.getInstance(certificate.keyStore().toFile(), TestCertificate.PASSWORD.toCharArray());
        SslBundle bundle = SslBundle.of(
                SslStoreBundle.of(keys, TestCertificate.PASSWORD, null), SslBundleKey.of(TestCertificate.PASSWORD));
        SslBundles bundles = new DefaultSslBundleRegistry("amqp", bundle);
        TestSettings settings = TestSettings.of("ringtable.amqp.tls.bundle", "amqp");

        assertThat(BrokerParts.tls(settings.amqp(), bundles).current()).isNotNull();
        assertThatThrownBy(() -> BrokerParts.tls(
                        settings.with("ringtable.amqp.tls.client-auth", "need").amqp(), bundles))
                .hasMessage("RT-4005 TLS with bundle amqp is unusable: it has no trust store, which"
                        + " ringtable.amqp.tls.client-auth needs: check spring.ssl.bundle");
        assertThatThrownBy(() -> BrokerParts.tls(
                        settings.with("ringtable.amqp.tls.bundle", "other").amqp(), bundles))
                .hasMessageStartingWith("RT-1128 ringtable.amqp.tls.bundle=other is not among [amqp]");
    }

    @Test
    void aRenewedBundleThatCannotServeChangesNothing(CapturedOutput output) throws Exception {
        TestCertificate certificate = TestCertificate.make(directory, "broker", "CN=localhost");
        KeyStore keys = KeyStore.getInstance(certificate.keyStore().toFile(), TestCertificate.PASSWORD.toCharArray());
        SslBundleKey key = SslBundleKey.of(TestCertificate.PASSWORD);
        DefaultSslBundleRegistry bundles = new DefaultSslBundleRegistry(
                "amqp", SslBundle.of(SslStoreBundle.of(keys, TestCertificate.PASSWORD, keys), key));
        ServerTls tls = BrokerParts.tls(
                TestSettings.of("ringtable.amqp.tls.bundle", "amqp", "ringtable.amqp.tls.client-auth", "want")
                        .amqp(),
                bundles);
        SslContext former = tls.current();

        bundles.updateBundle("amqp", SslBundle.of(SslStoreBundle.of(keys, TestCertificate.PASSWORD, null), key));

        assertThat(tls.current()).isSameAs(former);
        assertThat(output.getAll()).contains("RT-4006 TLS with bundle amqp was reloaded and is unusable");
    }
}
