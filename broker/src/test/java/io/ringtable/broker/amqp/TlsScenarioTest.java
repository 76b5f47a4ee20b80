package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.amqp.settings.TlsSettings;
import jakarta.jms.JMSContext;
import jakarta.jms.Queue;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class TlsScenarioTest {
    private static final String PASSWORD = "changeit";

    @TempDir
    private Path directory;

    private Path keyStore() throws Exception {
        Path file = directory.resolve("broker.p12");
        Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        Process process = new ProcessBuilder(
                        keytool.toString(),
                        "-genkeypair",
                        "-alias",
                        "broker",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        PASSWORD)
                .inheritIO()
                .start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        return file;
    }

    private static void assertServes(TestBroker broker) {
        JmsConnectionFactory factory = new JmsConnectionFactory(
                "amqps://127.0.0.1:" + broker.port() + "?transport.trustAll=true&transport.verifyHost=false");
        try (JMSContext context = factory.createContext()) {
            Queue queue = context.createQueue("secret");
            context.createProducer().send(queue, "psst");
            assertThat(context.createConsumer(queue).receiveBody(String.class, 5_000))
                    .isEqualTo("psst");
        }
    }

    @Test
    void servesWithAKeyStore() throws Exception {
        TlsSettings tls = TlsSettings.keyStore(keyStore(), PASSWORD);
        try (TestBroker broker = TestBroker.start(directory, settings -> settings.tls(tls))) {
            assertServes(broker);
        }
    }

    @Test
    void servesWithPemFiles() throws Exception {
        KeyStore store = KeyStore.getInstance(keyStore().toFile(), PASSWORD.toCharArray());
        Key key = store.getKey("broker", PASSWORD.toCharArray());
        Certificate certificate = store.getCertificate("broker");
        TlsSettings tls = TlsSettings.pem(
                pem("broker.crt", "CERTIFICATE", certificate.getEncoded()),
                pem("broker.key", "PRIVATE KEY", key.getEncoded()));
        try (TestBroker broker = TestBroker.start(directory, settings -> settings.tls(tls))) {
            assertServes(broker);
        }
    }

    private Path pem(String name, String kind, byte[] encoded) throws Exception {
        Path file = directory.resolve(name);
        try (OutputStream output = new FileOutputStream(file.toFile());
                Writer writer = new OutputStreamWriter(output, StandardCharsets.US_ASCII)) {
            writer.write("-----BEGIN " + kind + "-----\n");
            writer.write(Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded));
            writer.write("\n-----END " + kind + "-----\n");
        }
        return file;
    }

    @Test
    void aWrongPasswordIsRefusedAtTheStartAndNotPrinted() throws Exception {
        TlsSettings tls = TlsSettings.keyStore(keyStore(), "wrong-one");
        assertThatThrownBy(() -> TestBroker.start(directory, settings -> settings.tls(tls)))
                .hasMessageContaining("RT-4003")
                .hasMessageContaining("broker.p12")
                .hasMessageNotContaining("wrong-one");
        Path nonsense = Files.writeString(directory.resolve("nonsense.pem"), "nothing");
        assertThatThrownBy(() ->
                        TestBroker.start(directory, settings -> settings.tls(TlsSettings.pem(nonsense, nonsense))))
                .hasMessageContaining("RT-4003");
    }
}
