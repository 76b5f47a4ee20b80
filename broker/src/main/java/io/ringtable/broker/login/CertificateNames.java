package io.ringtable.broker.login;

import io.ringtable.broker.config.CertificateName;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;

/** Reads names from a client's certificate, which TLS has verified. Thread: any. */
public final class CertificateNames {
    /** Numbers the kinds of alternative names (RFC 5280 section 4.2.1.6). */
    private static final int EMAIL = 1;

    private static final int DNS = 2;
    private static final int URI = 6;

    private CertificateNames() {}

    /** Returns the names of one kind, in the order of the certificate; empty if it has none. */
    public static List<String> of(X509Certificate certificate, CertificateName kind) {
        return switch (kind) {
            case SUBJECT_CN -> commonName(certificate.getSubjectX500Principal());
            case SUBJECT_DN -> List.of(certificate.getSubjectX500Principal().getName(X500Principal.RFC2253));
            case SAN_DNS -> alternatives(certificate, DNS);
            case SAN_EMAIL -> alternatives(certificate, EMAIL);
            case SAN_URI -> alternatives(certificate, URI);
        };
    }

    /**
     * Returns the first name of a certificate that is a user's.
     *
     * @param wanted the name that the client means; empty if it does not say
     */
    public static Optional<String> user(
            X509Certificate certificate, CertificateName kind, Authenticator users, String wanted) {
        return of(certificate, kind).stream()
                .filter(name -> wanted.isEmpty() || wanted.equals(name))
                .filter(users::isUser)
                .findFirst();
    }

    private static List<String> commonName(X500Principal subject) {
        try {
            List<Rdn> parts = new LdapName(subject.getName(X500Principal.RFC2253)).getRdns();
            for (int i = parts.size() - 1; i >= 0; i--) { // the most specific one is last
                Attribute name = parts.get(i).toAttributes().get("cn");
                if (name != null && name.get() instanceof String text) {
                    return List.of(text);
                }
            }
            return List.of();
        } catch (NamingException e) {
            return List.of();
        }
    }

    private static List<String> alternatives(X509Certificate certificate, int kind) {
        try {
            List<String> names = new ArrayList<>();
            Collection<List<?>> all = certificate.getSubjectAlternativeNames();
            if (all != null) {
                for (List<?> name : all) {
                    if (name.get(0).equals(kind)) {
                        names.add((String) name.get(1));
                    }
                }
            }
            return names;
        } catch (CertificateParsingException e) {
            return List.of();
        }
    }
}
