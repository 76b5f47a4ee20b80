package io.ringtable.spring.boot;

import java.util.Locale;
import org.springframework.boot.ssl.SslBundle;

/**
 * Finds the SSL bundle, and refuses one that a connection would go without: a plain connection is no mistake to make.
 */
public final class CheckedSslBundle {
    private CheckedSslBundle() {}

    /**
     * Returns the bundle, or null if there is none.
     *
     * @throws IllegalArgumentException RT-5001 if there is one, and a URI is without TLS
     */
    public static SslBundle of(RingtableConnectionDetails details) {
        SslBundle bundle = details.getSslBundle();
        if (bundle != null && details.getUris().stream().anyMatch(CheckedSslBundle::isPlain)) {
            throw RefusedSettings.refused(
                    "there is an SSL bundle (ringtable.client.ssl.bundle), and a URI begins with amqp://, which is"
                            + " without TLS",
                    "write amqps://");
        }
        return bundle;
    }

    private static boolean isPlain(String uri) {
        return !uri.toLowerCase(Locale.ROOT).startsWith("amqps:");
    }
}
