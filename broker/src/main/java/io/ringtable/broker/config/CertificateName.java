package io.ringtable.broker.config;

/** Lists the names in a client's certificate that may be that of its user. */
public enum CertificateName {
    /** Means the most specific common name of the subject. */
    SUBJECT_CN,
    /** Means the whole subject, as RFC 2253 writes it: {@code CN=shop,O=Acme}. */
    SUBJECT_DN,
    /** Means a DNS name among the alternative names. */
    SAN_DNS,
    /** Means an e-mail address among the alternative names. */
    SAN_EMAIL,
    /** Means a URI among the alternative names, such as a SPIFFE id. */
    SAN_URI
}
