package io.ringtable.client;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

/**
 * Says which certificates a client trusts and shows on {@code amqps://} connections. Immutable; each method returns a
 * changed copy.
 * <p>
 * Without any setting the JDK's own trust store decides and the broker's certificate must name the host. The client
 * reads files and asks managers for each connection, so the next reconnect picks up a renewed certificate. Passwords
 * come from suppliers and are never logged.
 */
public final class TlsOptions {

    /** Trusts the JDK's trust store, with host names verified. */
    public static final TlsOptions DEFAULT = new TlsOptions(
            new Trust(null, null, null, null),
            new Identity(null, null, null, null),
            new Handshake(true, List.of(), List.of()));

    private final Trust trust;
    private final Identity identity;
    private final Handshake handshake;

    private TlsOptions(Trust trust, Identity identity, Handshake handshake) {
        this.trust = trust;
        this.identity = identity;
        this.handshake = handshake;
    }

    /** Trusts the certificates of a PKCS12 or JKS file. */
    public TlsOptions trustStore(Path file, Supplier<char[]> password) {
        Objects.requireNonNull(file, "file");
        return new TlsOptions(new Trust(file, password, null, null), identity, handshake);
    }

    /** Trusts the certificates of a PEM file. */
    public TlsOptions trustPem(Path file) {
        Objects.requireNonNull(file, "file");
        return new TlsOptions(new Trust(null, null, file, null), identity, handshake);
    }

    /**
     * Trusts what the application's own trust managers accept.
     *
     * @param managers asked for each connection, so that the next reconnect trusts what was renewed
     */
    public TlsOptions trustManagers(Supplier<TrustManagerFactory> managers) {
        Objects.requireNonNull(managers, "managers");
        return new TlsOptions(new Trust(null, null, null, managers), identity, handshake);
    }

    /**
     * Shows a client certificate to brokers that ask for one.
     *
     * @param key PKCS#8 in PEM
     * @param password null if the key is not encrypted
     */
    public TlsOptions certificatePem(Path chain, Path key, Supplier<char[]> password) {
        Objects.requireNonNull(chain, "chain");
        Objects.requireNonNull(key, "key");
        return new TlsOptions(trust, new Identity(chain, key, password, null), handshake);
    }

    /**
     * Shows a client certificate of the application's own key managers to brokers that ask for one.
     *
     * @param managers asked for each connection, so that the next reconnect shows what was renewed
     */
    public TlsOptions keyManagers(Supplier<KeyManagerFactory> managers) {
        Objects.requireNonNull(managers, "managers");
        return new TlsOptions(trust, new Identity(null, null, null, managers), handshake);
    }

    /** Sets whether the certificate must name the host of the URI; switch it off for trials only. */
    public TlsOptions verifyHost(boolean verify) {
        return new TlsOptions(trust, identity, new Handshake(verify, handshake.protocols, handshake.ciphers));
    }

    /** Sets the versions of TLS to offer, as {@code TLSv1.3}; none = the JDK's. */
    public TlsOptions protocols(List<String> protocols) {
        return new TlsOptions(trust, identity, new Handshake(isHostVerified(), protocols, handshake.ciphers));
    }

    /** Sets the cipher suites to offer, by the JDK's names; none = the JDK's. */
    public TlsOptions ciphers(List<String> ciphers) {
        return new TlsOptions(trust, identity, new Handshake(isHostVerified(), handshake.protocols, ciphers));
    }

    public Optional<Path> trustStore() {
        return Optional.ofNullable(trust.store);
    }

    public Optional<Supplier<char[]>> trustStorePassword() {
        return Optional.ofNullable(trust.password);
    }

    public Optional<Path> trustedPem() {
        return Optional.ofNullable(trust.pem);
    }

    public Optional<Supplier<TrustManagerFactory>> trustManagers() {
        return Optional.ofNullable(trust.managers);
    }

    public Optional<Path> certificatePem() {
        return Optional.ofNullable(identity.chain);
    }

    public Optional<Path> keyPem() {
        return Optional.ofNullable(identity.key);
    }

    public Optional<Supplier<char[]>> keyPassword() {
        return Optional.ofNullable(identity.password);
    }

    public Optional<Supplier<KeyManagerFactory>> keyManagers() {
        return Optional.ofNullable(identity.managers);
    }

    public boolean isHostVerified() {
        return handshake.verifyHost;
    }

    public List<String> protocols() {
        return handshake.protocols;
    }

    public List<String> ciphers() {
        return handshake.ciphers;
    }

    /** Says whom to trust: at most one of a store, a PEM file and managers is there. */
    private record Trust(Path store, Supplier<char[]> password, Path pem, Supplier<TrustManagerFactory> managers) {}

    /** Says who the client is: either a chain with its key, or managers, or nothing. */
    private record Identity(Path chain, Path key, Supplier<char[]> password, Supplier<KeyManagerFactory> managers) {}

    private record Handshake(boolean verifyHost, List<String> protocols, List<String> ciphers) {
        Handshake {
            protocols = List.copyOf(protocols);
            ciphers = List.copyOf(ciphers);
        }
    }
}
