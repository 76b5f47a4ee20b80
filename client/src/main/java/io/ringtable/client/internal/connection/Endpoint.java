package io.ringtable.client.internal.connection;

import io.ringtable.client.internal.error.Errors;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/**
 * Names one broker to connect to.
 *
 * @param user from the URI, or null
 */
public record Endpoint(String host, int port, boolean tls, String user) {

    private static final int PORT_PLAIN = 5672;
    private static final int PORT_TLS = 5671;
    private static final String CURE = "use amqp://host:port or amqps://host:port";

    /** @throws io.ringtable.client.RingtableException RT-5001 if the text is no such URI */
    public static Endpoint parse(String text) {
        URI uri;
        try {
            uri = new URI(text);
        } catch (URISyntaxException malformed) {
            // Neither the text nor the cause is told: both may show a password.
            throw Errors.configuration("a URI cannot be read", CURE, null);
        }
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        boolean tls = scheme.equals("amqps");
        if (!tls && !scheme.equals("amqp") || uri.getHost() == null) {
            throw Errors.configuration("URI '" + withoutUser(uri) + "' names no broker", CURE, null);
        }
        String user = uri.getUserInfo();
        if (user != null && user.indexOf(':') >= 0) {
            throw Errors.configuration(
                    "URI of " + uri.getHost() + " has a password in it",
                    "give it to user(name, password supplier), as URIs end up in logs",
                    null);
        }
        int port = uri.getPort() >= 0 ? uri.getPort() : tls ? PORT_TLS : PORT_PLAIN;
        return new Endpoint(uri.getHost(), port, tls, user);
    }

    private static String withoutUser(URI uri) {
        String text = uri.toString();
        return uri.getRawUserInfo() == null ? text : text.replace(uri.getRawUserInfo() + "@", "");
    }

    @Override
    public String toString() {
        return (tls ? "amqps://" : "amqp://") + host + ":" + port;
    }
}
