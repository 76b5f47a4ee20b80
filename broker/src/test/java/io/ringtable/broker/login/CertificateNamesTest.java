package io.ringtable.broker.login;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestCertificate;
import io.ringtable.broker.config.CertificateName;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertificateNamesTest {
    @TempDir
    private Path directory;

    private X509Certificate certificate(String subject, String... alternatives) throws Exception {
        Path file =
                TestCertificate.make(directory, "client", subject, alternatives).certificate();
        try (InputStream in = Files.newInputStream(file)) {
            return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    @Test
    void readsEachKindOfName() throws Exception {
        X509Certificate certificate = certificate(
                "CN=shop, OU=Sales, CN=of all shops, O=Acme",
                "dns:b.example.com",
                "dns:a.example.com",
                "email:shop@example.com",
                "uri:spiffe://example.com/shop",
                "ip:192.0.2.1");

        assertThat(CertificateNames.of(certificate, CertificateName.SUBJECT_CN)).containsExactly("shop");
        assertThat(CertificateNames.of(certificate, CertificateName.SUBJECT_DN))
                .containsExactly("CN=shop,OU=Sales,CN=of all shops,O=Acme");
        assertThat(CertificateNames.of(certificate, CertificateName.SAN_DNS))
                .containsExactly("b.example.com", "a.example.com");
        assertThat(CertificateNames.of(certificate, CertificateName.SAN_EMAIL)).containsExactly("shop@example.com");
        assertThat(CertificateNames.of(certificate, CertificateName.SAN_URI))
                .containsExactly("spiffe://example.com/shop");
    }

    @Test
    void findsNoNameWhereThereIsNone() throws Exception {
        X509Certificate certificate = certificate("O=Acme");

        assertThat(List.of(CertificateName.SUBJECT_CN, CertificateName.SAN_DNS, CertificateName.SAN_URI))
                .allSatisfy(kind ->
                        assertThat(CertificateNames.of(certificate, kind)).isEmpty());
    }
}
