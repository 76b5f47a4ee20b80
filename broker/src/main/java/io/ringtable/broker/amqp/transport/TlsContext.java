package io.ringtable.broker.amqp.transport;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.ringtable.broker.amqp.settings.TlsSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;

/** Loads what {@link TlsSettings} name. Failure: an error that names the file, and never the password. */
public final class TlsContext {
    private TlsContext() {}

    public static SslContext of(TlsSettings settings) {
        try {
            if (settings.keyStore() == null) {
                return SslContextBuilder.forServer(
                                settings.certificateChain().toFile(),
                                settings.privateKey().toFile(),
                                settings.password())
                        .build();
            }
            return SslContextBuilder.forServer(keys(settings)).build();
        } catch (GeneralSecurityException | IOException | IllegalArgumentException e) {
            throw new StartFailure(
                    "RT-4003 " + settings + " cannot be used: " + e.getMessage() + ": check the files and the password",
                    e);
        }
    }

    private static KeyManagerFactory keys(TlsSettings settings) throws GeneralSecurityException, IOException {
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
