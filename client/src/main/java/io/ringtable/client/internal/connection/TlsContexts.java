package io.ringtable.client.internal.connection;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.ringtable.client.TlsOptions;
import io.ringtable.client.internal.error.Errors;
import java.io.File;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.function.Supplier;
import javax.net.ssl.TrustManagerFactory;

/** Builds what Netty needs for TLS from an application's options. */
final class TlsContexts {

    private TlsContexts() {}

    /** @throws io.ringtable.client.RingtableException RT-5001 if a file cannot be used */
    static SslContext of(TlsOptions options) {
        try {
            SslContextBuilder builder = SslContextBuilder.forClient()
                    .endpointIdentificationAlgorithm(options.isHostVerified() ? "HTTPS" : null);
            if (options.trustStore().isPresent()) {
                builder.trustManager(trustStore(options));
            } else if (options.trustedPem().isPresent()) {
                builder.trustManager(options.trustedPem().get().toFile());
            } else if (options.trustManagers().isPresent()) {
                builder.trustManager(options.trustManagers().get().get());
            }
            if (options.certificatePem().isPresent()) {
                char[] password = secret(options.keyPassword().orElse(null));
                builder.keyManager(
                        options.certificatePem().get().toFile(),
                        options.keyPem().get().toFile(),
                        password == null ? null : new String(password));
            } else if (options.keyManagers().isPresent()) {
                builder.keyManager(options.keyManagers().get().get());
            }
            if (!options.protocols().isEmpty()) {
                builder.protocols(options.protocols());
            }
            if (!options.ciphers().isEmpty()) {
                builder.ciphers(options.ciphers());
            }
            return builder.build();
        } catch (IOException | GeneralSecurityException | IllegalArgumentException unusable) {
            throw Errors.configuration(
                    "TLS options cannot be used (" + unusable.getMessage() + ")",
                    "check the files and their passwords",
                    unusable);
        }
    }

    private static TrustManagerFactory trustStore(TlsOptions options) throws IOException, GeneralSecurityException {
        File file = options.trustStore().get().toFile();
        char[] password = secret(options.trustStorePassword().orElse(null));
        try {
            KeyStore store = KeyStore.getInstance(file, password);
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return factory;
        } finally {
            if (password != null) {
                Arrays.fill(password, '\0');
            }
        }
    }

    /** Returns a copy, so that wiping it leaves the supplier's own array intact. */
    private static char[] secret(Supplier<char[]> supplier) {
        char[] password = supplier == null ? null : supplier.get();
        return password == null ? null : password.clone();
    }
}
