package io.ringtable.broker.amqp.transport;

import java.util.List;
import java.util.Objects;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

/**
 * Holds the keys that a bundle has now.
 *
 * @param own the broker's certificate and its key
 * @param trusted what certificates of clients must come from; null if the bundle does not say
 * @param protocols versions of TLS; null = those of the JVM
 * @param ciphers null = those of the JVM
 */
public record TlsKeys(
        KeyManagerFactory own, TrustManagerFactory trusted, List<String> protocols, List<String> ciphers) {
    public TlsKeys {
        Objects.requireNonNull(own, "own");
    }
}
