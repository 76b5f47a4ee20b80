package io.ringtable.client;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Says which certificates a client trusts and shows on {@code amqps://} connections. Immutable; each method returns a
 * changed copy.
 * <p>
 * Without any setting the JDK's own trust store decides and the broker's certificate must name the host. The client
 * reads files for each connection, so the next reconnect picks up a renewed certificate. Passwords come from suppliers
 * and are never logged.
 */
public final class TlsOptions {

    /** Trusts the JDK's trust store, with host names verified. */
    public static final TlsOptions DEFAULT = new TlsOptions(null, null, null, null, null, null, true);

    private final Path trustStore;
    private final Supplier<char[]> trustStorePassword;
    private final Path trustedPem;
    private final Path certificatePem;
    private final Path keyPem;
    private final Supplier<char[]> keyPassword;
    private final boolean verifyHost;

    private TlsOptions(
            Path trustStore,
            Supplier<char[]> trustStorePassword,
            Path trustedPem,
            Path certificatePem,
            Path keyPem,
            Supplier<char[]> keyPassword,
            boolean verifyHost) {
        this.trustStore = trustStore;
        this.trustStorePassword = trustStorePassword;
        this.trustedPem = trustedPem;
        this.certificatePem = certificatePem;
        this.keyPem = keyPem;
        this.keyPassword = keyPassword;
        this.verifyHost = verifyHost;
    }

    /** Trusts the certificates of a PKCS12 or JKS file. */
    public TlsOptions trustStore(Path file, Supplier<char[]> password) {
        Objects.requireNonNull(file, "file");
        return new TlsOptions(file, password, null, certificatePem, keyPem, keyPassword, verifyHost);
    }

    /** Trusts the certificates of a PEM file. */
    public TlsOptions trustPem(Path file) {
        Objects.requireNonNull(file, "file");
        return new TlsOptions(null, null, file, certificatePem, keyPem, keyPassword, verifyHost);
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
        return new TlsOptions(trustStore, trustStorePassword, trustedPem, chain, key, password, verifyHost);
    }

    /** Sets whether the certificate must name the host of the URI; switch it off for trials only. */
    public TlsOptions verifyHost(boolean verify) {
        return new TlsOptions(trustStore, trustStorePassword, trustedPem, certificatePem, keyPem, keyPassword, verify);
    }

    public Optional<Path> trustStore() {
        return Optional.ofNullable(trustStore);
    }

    public Optional<Supplier<char[]>> trustStorePassword() {
        return Optional.ofNullable(trustStorePassword);
    }

    public Optional<Path> trustedPem() {
        return Optional.ofNullable(trustedPem);
    }

    public Optional<Path> certificatePem() {
        return Optional.ofNullable(certificatePem);
    }

    public Optional<Path> keyPem() {
        return Optional.ofNullable(keyPem);
    }

    public Optional<Supplier<char[]>> keyPassword() {
        return Optional.ofNullable(keyPassword);
    }

    public boolean isHostVerified() {
        return verifyHost;
    }
}
