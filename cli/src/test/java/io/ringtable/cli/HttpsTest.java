package io.ringtable.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.cli.failure.ExitCode;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Asks over https, with a certificate that the JDK does not know. */
class HttpsTest {
    private static final String SECRET = "not a secret";

    @TempDir
    static Path directory;

    private static Path pem;
    private static ScriptedBroker broker;

    @BeforeAll
    static void serve() throws Exception {
        Path store = directory.resolve("store.p12");
        pem = directory.resolve("broker.pem");
        keytool(store, "-genkeypair", "-keyalg", "EC", "-dname", "CN=broker", "-ext", "san=ip:127.0.0.1");
        keytool(store, "-exportcert", "-rfc", "-file", pem.toString());
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, SECRET.toCharArray());
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, SECRET.toCharArray());
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(managers.getKeyManagers(), null, null);
        broker = ScriptedBroker.withTls(tls).on("GET /api/v1/whoami", 200, "{\"user\":\"me\"}");
    }

    @AfterAll
    static void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    @Test
    void aCertificateIsTrustedByItsFile() {
        Run run = Run.of("user", "whoami", "--http", broker.url(), "--trust", pem.toString());

        assertThat(run.err()).isEmpty();
        assertThat(run.lines()).containsExactly("user  me");
    }

    @Test
    void anUnknownCertificateIsRefused() {
        Run run = Run.of("user", "whoami", "--http", broker.url());

        assertThat(run.exitCode()).isEqualTo(ExitCode.LOGIN_REFUSED);
        assertThat(run.err()).startsWith("RT-6042 ").contains(broker.url(), "--trust");
    }

    private static void keytool(Path store, String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        command.addAll(List.of(
                "-alias", "broker", "-keystore", store.toString(), "-storetype", "PKCS12", "-storepass", SECRET));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }
}
