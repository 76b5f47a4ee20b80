package io.ringtable.spring.boot.jms;

import static io.ringtable.spring.boot.RefusedSettings.refused;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes the brokers and all options as the one URI that Qpid JMS wants: {@code failover:(amqp://a,amqp://b)?...}.
 * Even a single broker stands in a fail-over list: only there does a connection come back after a loss, with its
 * consumers and producers.
 */
final class QpidUri {
    private static final String NESTED = "failover.nested.";
    private static final List<String> PREFIXES = List.of("jms.", "failover.", "amqp.", "transport.");

    private final List<URI> brokers;
    private final Map<String, String> options = new LinkedHashMap<>();

    /** @throws IllegalArgumentException RT-5001 if one cannot be understood; the message shows no password */
    QpidUri(List<String> uris) {
        if (uris.isEmpty()) {
            throw refused("ringtable.client.uris is empty", "give one, as in amqp://localhost:5672");
        }
        brokers = uris.stream().map(QpidUri::broker).toList();
    }

    /** Adds an option by its name in Qpid's manual; a later value replaces an earlier one. */
    QpidUri option(String name, Object value) {
        if (PREFIXES.stream().noneMatch(name::startsWith)) {
            throw refused(
                    "ringtable.client.jms.options has '" + name + "', which is no option of Qpid JMS",
                    "begin it with one of " + String.join(", ", PREFIXES));
        }
        // Options of the connection to one broker are said once for all of the list.
        boolean ofOneBroker = name.startsWith("amqp.") || name.startsWith("transport.");
        options.put(ofOneBroker ? NESTED + name : name, String.valueOf(value));
        return this;
    }

    /** Returns the user that a URI names, or null. */
    String user() {
        return brokers.stream()
                .map(URI::getUserInfo)
                .filter(user -> user != null)
                .reduce((first, last) -> last)
                .orElse(null);
    }

    @Override
    public String toString() {
        String list = brokers.stream()
                .map(broker -> broker.getScheme() + "://" + broker.getHost()
                        + (broker.getPort() < 0 ? "" : ":" + broker.getPort()))
                .collect(Collectors.joining(","));
        String query = options.entrySet().stream()
                .map(option -> option.getKey() + "=" + URLEncoder.encode(option.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        return "failover:(" + list + ")" + (query.isEmpty() ? "" : "?" + query);
    }

    private static URI broker(String text) {
        URI uri;
        try {
            uri = URI.create(text);
        } catch (IllegalArgumentException malformed) {
            throw refused("a URI in ringtable.client.uris cannot be read", "use amqp://host:port or amqps://host:port");
        }
        String scheme = String.valueOf(uri.getScheme());
        if (uri.getHost() == null || !scheme.equalsIgnoreCase("amqp") && !scheme.equalsIgnoreCase("amqps")) {
            throw refused(
                    "a URI in ringtable.client.uris with the scheme '" + scheme + "' names no broker",
                    "use amqp://host:port or amqps://host:port, and ringtable.client.jms.options for Qpid's options");
        }
        if (uri.getUserInfo() != null && uri.getUserInfo().indexOf(':') >= 0) {
            throw refused(
                    "the URI of " + uri.getHost() + " in ringtable.client.uris has a password in it",
                    "set ringtable.client.password, as URIs end up in logs");
        }
        if (uri.getQuery() != null) {
            throw refused(
                    "the URI of " + uri.getHost() + " in ringtable.client.uris has options in it",
                    "set ringtable.client.jms.options, as the SDK does not know Qpid's");
        }
        return uri;
    }
}
