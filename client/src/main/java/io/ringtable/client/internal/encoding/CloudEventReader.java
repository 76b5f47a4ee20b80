package io.ringtable.client.internal.encoding;

import io.ringtable.client.CloudEvent;
import io.ringtable.client.RingtableException;
import io.ringtable.client.internal.error.Errors;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads events out of messages (CloudEvents AMQP Protocol Binding 1.0.2, JSON Event Format 1.0.2), with values in every
 * form that the binding allows.
 * <p>
 * Thread: any; holds nothing.
 */
public final class CloudEventReader {
    private static final String PREFIX = "cloudEvents:";
    /** Prefix of clients that can have no colon in a name, such as those of JMS. */
    private static final String PREFIX_WITHOUT_COLON = "cloudEvents_";

    private static final String ANY_FORMAT = "application/cloudevents";
    private static final Pattern JSON_FORMAT = Pattern.compile("application/cloudevents\\+json\\s*(;.*)?");
    private static final JsonMapper JSON = JsonMapper.shared();

    private CloudEventReader() {}

    /**
     * Returns the event in a message; empty if the message does not say that it is one.
     *
     * @param contentType null = none
     * @throws io.ringtable.client.RingtableException RT-5030 if it says so and is none
     */
    public static Optional<CloudEvent> read(String contentType, Map<String, Object> properties, Supplier<byte[]> body) {
        String type = contentType == null ? "" : contentType.toLowerCase(Locale.ROOT);
        try {
            if (type.startsWith(ANY_FORMAT)) {
                if (!JSON_FORMAT.matcher(type).matches()) {
                    throw Errors.body(
                            "its CloudEvent is in the format '" + contentType
                                    + "', and the SDK reads application/cloudevents+json: use bytes()",
                            null);
                }
                return Optional.of(fromJson(JSON.readTree(body.get())));
            }
            return fromProperties(contentType, properties, body);
        } catch (JacksonException | DateTimeException | IllegalArgumentException malformed) {
            throw Errors.body("it is no CloudEvent (" + malformed.getMessage() + "): use bytes()", malformed);
        }
    }

    private static Optional<CloudEvent> fromProperties(
            String contentType, Map<String, Object> properties, Supplier<byte[]> body) {
        Map<String, Object> attributes = new LinkedHashMap<>();
        properties.forEach((name, value) -> {
            if (value != null && (name.startsWith(PREFIX) || name.startsWith(PREFIX_WITHOUT_COLON))) {
                attributes.put(name.substring(PREFIX.length()), value);
            }
        });
        if (!attributes.containsKey("specversion")) {
            return Optional.empty();
        }
        CloudEvent.Builder event = CloudEvent.builder().data(contentType, body.get());
        return Optional.of(build(event, attributes));
    }

    private static CloudEvent fromJson(JsonNode json) {
        if (!json.isObject()) {
            throw new IllegalArgumentException("the JSON is no object");
        }
        Map<String, Object> attributes = new LinkedHashMap<>();
        json.properties().forEach(property -> {
            JsonNode value = property.getValue();
            if (value.isBoolean()) {
                attributes.put(property.getKey(), value.asBoolean());
            } else if (value.isIntegralNumber()) {
                attributes.put(property.getKey(), value.asLong());
            } else if (value.isString()) {
                attributes.put(property.getKey(), value.asString());
            }
        });
        attributes.remove("data");
        attributes.remove("data_base64");
        String type = text(attributes.remove("datacontenttype"));
        return build(CloudEvent.builder().data(type, data(json, type)), attributes);
    }

    private static byte[] data(JsonNode json, String contentType) {
        JsonNode encoded = json.get("data_base64");
        if (encoded != null && encoded.isString()) {
            return Base64.getDecoder().decode(encoded.asString());
        }
        JsonNode data = json.get("data");
        if (data == null || data.isNull()) {
            return null;
        }
        boolean text = data.isString() && contentType != null && !CloudEvent.isJson(contentType);
        return text ? data.asString().getBytes(StandardCharsets.UTF_8) : JSON.writeValueAsBytes(data);
    }

    /** Fills in the attributes. @param values in the types of AMQP or of JSON */
    private static CloudEvent build(CloudEvent.Builder event, Map<String, Object> values) {
        String version = text(values.remove("specversion"));
        if (!CloudEvent.SPEC_VERSION.equals(version)) {
            throw new IllegalArgumentException("its specversion is " + version + ", not " + CloudEvent.SPEC_VERSION);
        }
        String schema = text(values.remove("dataschema"));
        event.id(required(values, "id"))
                .source(required(values, "source"))
                .type(required(values, "type"))
                .subject(text(values.remove("subject")))
                .time(time(values.remove("time")))
                .dataSchema(schema == null ? null : URI.create(schema));
        try {
            values.forEach((name, value) -> event.extension(name, extension(value)));
            return event.build();
        } catch (RingtableException badName) {
            throw new IllegalArgumentException(badName.getMessage(), badName);
        }
    }

    private static String required(Map<String, Object> values, String name) {
        String value = text(values.remove(name));
        if (value == null || value.isEmpty()) {
            throw new IllegalArgumentException("it has no '" + name + "'");
        }
        return value;
    }

    private static String text(Object value) {
        return value == null ? null : value.toString();
    }

    private static Instant time(Object value) {
        if (value instanceof Long millis) {
            return Instant.ofEpochMilli(millis);
        }
        return value == null ? null : OffsetDateTime.parse(value.toString()).toInstant();
    }

    /**
     * Returns the value in a type of CloudEvents. An integer there has 32 bits, so a larger number can only be an AMQP
     * timestamp, in ms. A value of another type becomes text.
     */
    private static Object extension(Object value) {
        if (value instanceof Long number) {
            return number == number.intValue() ? (Object) number.intValue() : Instant.ofEpochMilli(number);
        }
        if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return ((Number) value).intValue();
        }
        return value instanceof Boolean || value instanceof byte[] ? value : value.toString();
    }
}
