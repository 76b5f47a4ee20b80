package io.ringtable.broker.amqp.settings;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the broker's certificate and private key are: either two PEM files or one key store.
 *
 * @param certificateChain PEM file, the broker's certificate first; null with a key store
 * @param privateKey PEM file, PKCS#8; null with a key store
 * @param keyStore PKCS#12 or JKS file; null with PEM files
 * @param password of the private key or of the key store; null = none
 */
public record TlsSettings(Path certificateChain, Path privateKey, Path keyStore, String password) {

    public TlsSettings {
        boolean pem = certificateChain != null || privateKey != null;
        if (pem == (keyStore != null)) {
            throw new IllegalArgumentException(
                    "RT-1121 amqp.tls names " + (pem ? "PEM files and" : "neither PEM files nor")
                            + " a key store: set amqp.tls.certificate and amqp.tls.private-key, or amqp.tls.key-store");
        }
        if (pem && (certificateChain == null || privateKey == null)) {
            throw new IllegalArgumentException("RT-1122 amqp.tls.certificate=" + certificateChain
                    + " and amqp.tls.private-key=" + privateKey + ": both are needed");
        }
        requireReadable("certificate", certificateChain);
        requireReadable("private-key", privateKey);
        requireReadable("key-store", keyStore);
    }

    public static TlsSettings pem(Path certificateChain, Path privateKey) {
        return new TlsSettings(certificateChain, privateKey, null, null);
    }

    public static TlsSettings keyStore(Path keyStore, String password) {
        return new TlsSettings(null, null, keyStore, password);
    }

    private static void requireReadable(String property, Path file) {
        if (file != null && !Files.isReadable(file)) {
            throw new IllegalArgumentException("RT-1123 amqp.tls." + property + "=" + file
                    + " cannot be read: check the path and the permissions");
        }
    }

    /** Passwords are no log lines. */
    @Override
    public String toString() {
        return keyStore != null ? "TLS with key store " + keyStore : "TLS with certificate " + certificateChain;
    }
}
