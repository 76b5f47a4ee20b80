package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A key with its certificate, signed by itself, in files of its own: a PKCS#12 store and two PEM files. */
public record TestCertificate(Path keyStore, Path certificate, Path privateKey) {
    public static final String PASSWORD = "changeit";

    /**
     * Makes one with the JDK's keytool.
     *
     * @param file what its files are named after
     * @param subject such as {@code CN=localhost}
     * @param alternatives such as {@code dns:localhost}
     */
    public static TestCertificate make(Path directory, String file, String subject, String... alternatives)
            throws IOException, InterruptedException, GeneralSecurityException {
        Path keyStore = directory.resolve(file + ".p12");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "own",
                "-keyalg",
                "EC",
                "-dname",
                subject,
                "-storetype",
                "PKCS12",
                "-keystore",
                keyStore.toString(),
                "-storepass",
                PASSWORD));
        if (alternatives.length > 0) {
            command.addAll(List.of("-ext", "san=" + String.join(",", alternatives)));
        }
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        KeyStore store = KeyStore.getInstance(keyStore.toFile(), PASSWORD.toCharArray());
        return new TestCertificate(
                keyStore,
                pem(
                        directory.resolve(file + ".crt"),
                        "CERTIFICATE",
                        store.getCertificate("own").getEncoded()),
                pem(
                        directory.resolve(file + ".key"),
                        "PRIVATE KEY",
                        store.getKey("own", PASSWORD.toCharArray()).getEncoded()));
    }

    private static Path pem(Path file, String kind, byte[] encoded) throws IOException {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded);
        return Files.writeString(file, "-----BEGIN " + kind + "-----\n" + base64 + "\n-----END " + kind + "-----\n");
    }

    /** Puts the PEM files of this one in the place of another's, as whoever renews a certificate does. */
    public void replace(TestCertificate other) throws IOException {
        Files.copy(privateKey, other.privateKey, StandardCopyOption.REPLACE_EXISTING);
        Files.copy(certificate, other.certificate, StandardCopyOption.REPLACE_EXISTING);
    }
}
