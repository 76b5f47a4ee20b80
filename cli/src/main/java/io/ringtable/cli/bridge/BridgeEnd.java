package io.ringtable.cli.bridge;

import io.ringtable.client.Address;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Names one end of a bridge: a broker, and the queue or topic there. Immutable; each method returns a changed copy.
 *
 * @param address null if the URL names none
 * @param user null = ANONYMOUS
 * @param password null = none; asked at each login
 * @param trustedPem certificates to trust; null = those of the JDK
 * @param clientId container id of a durable subscription; null = one that no other client has
 * @param subscription name of the durable subscription that the source's messages come from; null = none
 */
public record BridgeEnd(
        String host,
        int port,
        boolean tls,
        Address address,
        String user,
        Supplier<String> password,
        Path trustedPem,
        String clientId,
        String subscription) {
    private static final int PORT_PLAIN = 5672;
    private static final int PORT_TLS = 5671;
    private static final String CURE = ": use amqp://HOST:PORT/ADDRESS or amqps://HOST:PORT/ADDRESS";

    /**
     * Reads {@code amqp://[USER@]HOST[:PORT][/ADDRESS]}; an address is {@code queue://NAME}, {@code topic://NAME} or a
     * plain name, which means a queue.
     *
     * @param option the name of the option, for errors
     * @throws BridgeFailure RT-6020 if the text is no such URL, or has a password in it
     */
    public static BridgeEnd parse(String option, String url) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException malformed) {
            // Neither the text nor the cause is told: both may show a password.
            throw usage(option + " is no URL" + CURE);
        }
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        boolean tls = scheme.equals("amqps");
        if (!tls && !scheme.equals("amqp") || uri.getHost() == null) {
            throw usage(option + " names no broker" + CURE);
        }
        String user = uri.getUserInfo();
        if (user != null && user.indexOf(':') >= 0) {
            throw usage(option + " has a password in it, which every user of this machine can see: give the password in"
                    + " the environment");
        }
        if (uri.getQuery() != null || uri.getFragment() != null) {
            throw usage(option + " has a '?' or a '#': write %3F and %23 in the name of an address");
        }
        String path = uri.getPath() == null ? "" : uri.getPath();
        Address address = path.length() > 1 ? Address.of(path.substring(1)) : null;
        int port = uri.getPort() >= 0 ? uri.getPort() : tls ? PORT_TLS : PORT_PLAIN;
        return new BridgeEnd(uri.getHost(), port, tls, address, user, null, null, null, null);
    }

    private static BridgeFailure usage(String text) {
        return new BridgeFailure(BridgeFailure.Reason.USAGE, "RT-6020", text);
    }

    public BridgeEnd address(Address other) {
        return new BridgeEnd(host, port, tls, other, user, password, trustedPem, clientId, subscription);
    }

    public BridgeEnd user(String name, Supplier<String> itsPassword) {
        return new BridgeEnd(host, port, tls, address, name, itsPassword, trustedPem, clientId, subscription);
    }

    public BridgeEnd trustedPem(Path file) {
        return new BridgeEnd(host, port, tls, address, user, password, file, clientId, subscription);
    }

    /** Names the durable subscription of the address, which is a topic. */
    public BridgeEnd subscription(String itsClientId, String name) {
        return new BridgeEnd(host, port, tls, address, user, password, trustedPem, itsClientId, name);
    }

    /** Returns the broker without the address. */
    String broker() {
        return (tls ? "amqps://" : "amqp://") + host + ":" + port;
    }

    /** Returns the whole name of this end, without its user. */
    @Override
    public String toString() {
        String place = broker() + "/" + address;
        return subscription == null ? place : place + " (subscription " + subscription + " of " + clientId + ")";
    }
}
