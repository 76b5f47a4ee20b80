package io.ringtable.cli.manage;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Makes TLS trust the certificates of a file, and no others. */
final class Trust {
    private Trust() {}

    /**
     * @param pem certificates
     * @throws ManagementFailure RT-6041 if the file cannot be read, or has no certificate
     */
    static SSLContext of(Path pem) {
        try (InputStream in = Files.newInputStream(pem)) {
            Collection<? extends Certificate> certificates =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            for (Certificate certificate : certificates) {
                trusted.setCertificateEntry(String.valueOf(trusted.size()), certificate);
            }
            if (trusted.size() == 0) {
                throw new GeneralSecurityException("it has no certificate");
            }
            TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trusted);
            SSLContext tls = SSLContext.getInstance("TLS");
            tls.init(null, managers.getTrustManagers(), null);
            return tls;
        } catch (IOException | GeneralSecurityException e) {
            throw new ManagementFailure(
                    ManagementFailure.Reason.USAGE,
                    "RT-6041",
                    "the certificates to trust cannot be read from " + pem + " ("
                            + e.getClass().getSimpleName() + ": " + e.getMessage()
                            + "): name a file with certificates in PEM");
        }
    }
}
