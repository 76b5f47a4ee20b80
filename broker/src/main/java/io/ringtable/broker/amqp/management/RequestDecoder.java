package io.ringtable.broker.amqp.management;

import io.ringtable.broker.management.Caller;
import io.ringtable.broker.management.ManagementJson;
import io.ringtable.broker.management.ManagementRequest;
import io.ringtable.broker.message.Printable;
import io.ringtable.wire.MalformedMessage;
import io.ringtable.wire.SectionDecoder;
import io.ringtable.wire.Sections;
import java.io.ByteArrayOutputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Makes a request of the operations' model from that of a message: decodes its query, and its body whatever its form.
 * <p>
 * Thread: one at a time; reused from request to request.
 */
final class RequestDecoder {
    /** Precedes all paths over HTTP. */
    private static final String PREFIX = "/api/v1";

    private static final String UNREADABLE = "RT-4396";

    private final Sections sections = new Sections();
    private final SectionDecoder decoder = new SectionDecoder();

    /** @throws MalformedMessage if the query or the body cannot be read */
    ManagementRequest decode(Request request, Caller caller) throws MalformedMessage {
        String target = request.target();
        int end = target.indexOf('?');
        String path = end < 0 ? target : target.substring(0, end);
        if (path.startsWith(PREFIX + "/")) {
            path = path.substring(PREFIX.length());
        }
        return new ManagementRequest(
                request.method(),
                path,
                query(end < 0 ? "" : target.substring(end + 1)),
                body(request.encoded()),
                caller);
    }

    /** Returns the first value of each name, as HTTP has it; a name alone has an empty value. */
    private static Map<String, String> query(String text) throws MalformedMessage {
        Map<String, String> found = new LinkedHashMap<>();
        for (String each : text.split("&")) {
            int equals = each.indexOf('=');
            String name = equals < 0 ? each : each.substring(0, equals);
            if (!each.isEmpty()) {
                found.putIfAbsent(decoded(name), equals < 0 ? "" : decoded(each.substring(equals + 1)));
            }
        }
        return found;
    }

    private static String decoded(String text) throws MalformedMessage {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw unreadable("'" + Printable.value(text) + "' in the query is not percent-encoded well");
        }
    }

    /** Returns null if there is no body, or one of nothing. */
    private JsonNode body(byte[] encoded) throws MalformedMessage {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        sections.over(encoded, 0, encoded.length);
        while (sections.advance()) {
            switch (sections.code()) {
                case Sections.VALUE -> {
                    return body(value());
                }
                case Sections.DATA ->
                    data.write(sections.bytes(), sections.first(), sections.next() - sections.first());
                case Sections.SEQUENCE ->
                    throw unreadable("the body is an amqp-sequence: send a string, a map or bytes with JSON");
                default -> {
                    // The other sections have been read.
                }
            }
        }
        return parsed(data.toByteArray());
    }

    private Object value() throws MalformedMessage {
        try {
            return ((AmqpValue<?>) decoder.decode(sections)).getValue();
        } catch (RuntimeException e) {
            throw unreadable("the body cannot be decoded: " + Printable.value(e.getMessage()));
        }
    }

    private static JsonNode body(Object value) throws MalformedMessage {
        if (value == null) {
            return null;
        }
        if (value instanceof String text) {
            return parsed(text.getBytes(StandardCharsets.UTF_8));
        }
        return value instanceof Binary binary ? parsed(binary.asByteArray()) : AmqpJson.of(value);
    }

    private static JsonNode parsed(byte[] json) throws MalformedMessage {
        try {
            JsonNode body = ManagementJson.MAPPER.readTree(json);
            return body.isMissingNode() || body.isNull() ? null : body;
        } catch (JacksonException e) {
            throw unreadable("the body is no JSON: " + Printable.value(e.getOriginalMessage()));
        }
    }

    static MalformedMessage unreadable(String text) {
        return new MalformedMessage(UNREADABLE, text);
    }
}
