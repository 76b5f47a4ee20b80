package io.ringtable.broker.amqp.transport;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.ringtable.broker.config.AmqpProperties.Tls;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLException;

/** Makes of settings, or of a bundle's keys, what gives connections their TLS. Thread: any. */
final class TlsContext {
    private TlsContext() {}

    /** Loads the files that the settings name. Failure: an error names the file, and never the password. */
    static SslContext ofFiles(Tls settings) {
        try {
            SslContextBuilder builder = settings.keyStore() == null
                    ? SslContextBuilder.forServer(
                            settings.certificate().toFile(),
                            settings.privateKey().toFile(),
                            settings.password())
                    : SslContextBuilder.forServer(keys(settings));
            if (settings.trustCertificates() != null) {
                builder.trustManager(settings.trustCertificates().toFile());
            }
            return builder.clientAuth(clientAuth(settings)).build();
        } catch (GeneralSecurityException | IOException | IllegalArgumentException e) {
            throw unusable(settings, e);
        }
    }

    private static StartFailure unusable(Tls settings, Exception e) {
        return new StartFailure(
                "RT-4003 " + settings + " is unusable: " + e.getMessage() + ": check the files and the password", e);
    }

    /** Uses the keys of a bundle. @throws SSLException if they cannot be used */
    static SslContext ofKeys(Tls settings, TlsKeys keys) throws SSLException {
        if (settings.clientAuth() != Tls.ClientAuth.NONE && keys.trusted() == null) {
            throw new SSLException("it has no trust store, which ringtable.amqp.tls.client-auth needs");
        }
        return SslContextBuilder.forServer(keys.own())
                .trustManager(keys.trusted())
                .protocols(keys.protocols())
                .ciphers(keys.ciphers())
                .clientAuth(clientAuth(settings))
                .build();
    }

    /** Makes what connections to other nodes use: the own certificate, and what clients' certificates come from. */
    static SslContext toNodes(Tls settings) {
        try {
            SslContextBuilder builder = SslContextBuilder.forClient();
            if (settings.certificate() != null) {
                builder.keyManager(
                        settings.certificate().toFile(), settings.privateKey().toFile(), settings.password());
            } else if (settings.keyStore() != null) {
                builder.keyManager(keys(settings));
            }
            if (settings.trustCertificates() != null) {
                builder.trustManager(settings.trustCertificates().toFile());
            }
            return builder.build();
        } catch (GeneralSecurityException | IOException | IllegalArgumentException e) {
            throw unusable(settings, e);
        }
    }

    /** Makes the same of the keys of a bundle. @throws SSLException if they cannot be used */
    static SslContext toNodes(TlsKeys keys) throws SSLException {
        return SslContextBuilder.forClient()
                .keyManager(keys.own())
                .trustManager(keys.trusted())
                .protocols(keys.protocols())
                .ciphers(keys.ciphers())
                .build();
    }

    private static ClientAuth clientAuth(Tls settings) {
        return switch (settings.clientAuth()) {
            case NONE -> ClientAuth.NONE;
            case WANT -> ClientAuth.OPTIONAL;
            case NEED -> ClientAuth.REQUIRE;
        };
    }

    private static KeyManagerFactory keys(Tls settings) throws GeneralSecurityException, IOException {
        char[] password =
                settings.password() == null ? null : settings.password().toCharArray();
        String type = settings.keyStore().toString().endsWith(".jks") ? "JKS" : "PKCS12";
        KeyStore store = KeyStore.getInstance(type);
        try (InputStream input = Files.newInputStream(settings.keyStore())) {
            store.load(input, password);
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, password);
        return factory;
    }
}
