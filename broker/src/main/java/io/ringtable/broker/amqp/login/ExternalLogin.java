package io.ringtable.broker.amqp.login;

import io.ringtable.broker.config.CertificateName;
import io.ringtable.broker.login.Authenticator;
import io.ringtable.broker.login.CertificateNames;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.Optional;

/**
 * Logs a client in with EXTERNAL: its certificate, which TLS has verified, names a user (RFC 4422 appendix A). Where
 * the certificate has several names, the client may say which one it means; else the first that is a user's counts.
 * <p>
 * Thread: the connection's event loop.
 */
final class ExternalLogin implements Mechanism {
    static final String NAME = "EXTERNAL";

    private final X509Certificate certificate;
    private final CertificateName kind;
    private final Authenticator users;
    private final SaslAnswers answers;

    /** @param certificate null if the client has shown none */
    ExternalLogin(X509Certificate certificate, CertificateName kind, Authenticator users, SaslAnswers answers) {
        this.certificate = certificate;
        this.kind = kind;
        this.users = users;
        this.answers = answers;
    }

    /** Tells whether the client has shown a certificate, and it names a user. */
    boolean isUser() {
        return certificate != null && user("").isPresent();
    }

    /** Tells whether the client has shown a certificate, and it names nobody. */
    boolean isStranger() {
        return certificate != null && user("").isEmpty();
    }

    private Optional<String> user(String wanted) {
        return CertificateNames.user(certificate, kind, users, wanted);
    }

    @Override
    public void begin(byte[] initial) {
        if (certificate == null) {
            answers.refuse("mechanism EXTERNAL without a certificate of the client");
            return;
        }
        String wanted = new String(initial, StandardCharsets.UTF_8);
        user(wanted)
                .ifPresentOrElse(
                        name -> answers.pass(name, users.proof(name)),
                        () -> answers.refuseCertificate(names() + (wanted.isEmpty() ? "" : ", wanted: " + wanted)));
    }

    /** Names the certificate for log lines. */
    String names() {
        return "of " + certificate.getSubjectX500Principal() + " with " + kind + " "
                + CertificateNames.of(certificate, kind);
    }

    @Override
    public void respond(byte[] response) {
        answers.refuse("the client answered a challenge that the broker did not send");
    }
}
