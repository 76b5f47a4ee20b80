package io.ringtable.client;

import java.net.URI;
import java.time.Instant;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Holds an event as CNCF's CloudEvents 1.0 describes it. Immutable except the data, which is read when the event is
 * published.
 * <p>
 * {@link Message#cloudEvent} makes a message of an event, and {@link ReceivedMessage#cloudEvent} reads one. Events of
 * other SDKs are read too, and theirs read these (CloudEvents AMQP Protocol Binding 1.0.2).
 *
 * <pre>{@code
 * CloudEvent event = CloudEvent.builder()
 *         .source("/shop")
 *         .type("com.example.order.placed")
 *         .data("application/json", "{}".getBytes(StandardCharsets.UTF_8))
 *         .build();
 * }</pre>
 */
public final class CloudEvent {

    /** The only version of the specification that this class knows. */
    public static final String SPEC_VERSION = "1.0";

    private static final Pattern JSON_TYPE = Pattern.compile(".*[/+]json", Pattern.CASE_INSENSITIVE);

    /** Lists the attributes that no extension may be named like. */
    private static final Set<String> ATTRIBUTES = Set.of(
            "specversion",
            "id",
            "source",
            "type",
            "subject",
            "time",
            "datacontenttype",
            "dataschema",
            "data",
            "data_base64");

    private final String id;
    private final String source;
    private final String type;
    private final String subject;
    private final Instant time;
    private final String dataContentType;
    private final String dataSchema;
    private final Map<String, Object> extensions;
    private final byte[] data;

    private CloudEvent(Builder builder) {
        id = builder.id;
        source = builder.source;
        type = builder.type;
        subject = builder.subject;
        time = builder.time;
        dataContentType = builder.dataContentType;
        dataSchema = builder.dataSchema;
        extensions = Collections.unmodifiableMap(new LinkedHashMap<>(builder.extensions));
        data = builder.data;
    }

    /** Returns a builder with a random id. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the id, which is the event's alone among those of its source. */
    public String id() {
        return id;
    }

    /** Returns where the event happened, a URI reference. */
    public String source() {
        return source;
    }

    /** Returns what happened, such as {@code com.example.order.placed}. */
    public String type() {
        return type;
    }

    /** Returns what the event is about, within its source. */
    public Optional<String> subject() {
        return Optional.ofNullable(subject);
    }

    /** Returns when it happened. */
    public Optional<Instant> time() {
        return Optional.ofNullable(time);
    }

    /** Returns the media type of the data. */
    public Optional<String> dataContentType() {
        return Optional.ofNullable(dataContentType);
    }

    /** Returns the URI of the schema that the data keeps to. */
    public Optional<String> dataSchema() {
        return Optional.ofNullable(dataSchema);
    }

    /** Returns the extension attributes, in their order: each a String, Boolean, Integer, Instant or byte[]. */
    public Map<String, Object> extensions() {
        return extensions;
    }

    /** Returns the data; empty if the event has none, or none but zero bytes. */
    public Optional<byte[]> data() {
        return Optional.ofNullable(data);
    }

    /** Returns the attributes but datacontenttype, by name, in the canonical forms that CNCF's SDKs read. */
    Map<String, Object> attributes() {
        Map<String, Object> attributes = new LinkedHashMap<>();
        attributes.put("specversion", SPEC_VERSION);
        attributes.put("id", id);
        attributes.put("source", source);
        attributes.put("type", type);
        subject().ifPresent(text -> attributes.put("subject", text));
        time().ifPresent(instant -> attributes.put("time", instant.toString()));
        dataSchema().ifPresent(uri -> attributes.put("dataschema", uri));
        extensions.forEach((name, value) -> attributes.put(name, canonical(value)));
        return attributes;
    }

    /**
     * Turns a value into a form that all SDKs read. The binding allows AMQP timestamps and binaries too, but CNCF's
     * Java SDK reads text alone.
     */
    private static Object canonical(Object value) {
        if (value instanceof byte[] bytes) {
            return Base64.getEncoder().encodeToString(bytes);
        }
        if (value instanceof Integer number) {
            return number.longValue(); // AMQP long, as the binding has it
        }
        return value instanceof Instant instant ? instant.toString() : value;
    }

    /** Returns the event in CNCF's JSON format 1.0.2, which is no application's mapper's to change. */
    byte[] json() {
        JsonMapper mapper = JsonMapper.shared();
        Map<String, Object> json = attributes();
        dataContentType().ifPresent(mediaType -> json.put("datacontenttype", mediaType));
        try {
            if (data != null && isJson(dataContentType)) {
                json.put("data", mapper.readTree(data));
            } else if (data != null) {
                json.put("data_base64", Base64.getEncoder().encodeToString(data));
            }
            return mapper.writeValueAsBytes(json);
        } catch (JacksonException noJson) {
            throw RingtableException.content("the data of " + this + " is no JSON, as its content type says");
        }
    }

    /** Tells whether data of this media type is JSON; null = not said. */
    public static boolean isJson(String mediaType) {
        if (mediaType == null) {
            return false;
        }
        int parameters = mediaType.indexOf(';');
        String type = parameters < 0 ? mediaType : mediaType.substring(0, parameters);
        return JSON_TYPE.matcher(type.strip()).matches();
    }

    @Override
    public String toString() {
        return "CloudEvent " + id + " of " + source + ", " + type;
    }

    /** Collects the attributes of an event, on one thread. */
    public static final class Builder {
        private static final Pattern EXTENSION_NAME = Pattern.compile("[a-z0-9]+");
        private static final Set<Class<?>> EXTENSION_TYPES =
                Set.of(String.class, Boolean.class, Integer.class, Instant.class, byte[].class);

        private String id = UUID.randomUUID().toString();
        private String source;
        private String type;
        private String subject;
        private Instant time;
        private String dataContentType;
        private String dataSchema;
        private final Map<String, Object> extensions = new LinkedHashMap<>();
        private byte[] data;

        private Builder() {}

        public Builder id(String value) {
            id = value;
            return this;
        }

        /** @param value a URI reference, such as {@code /shop} or {@code https://example.com/shop} */
        public Builder source(String value) {
            source = value;
            return this;
        }

        public Builder type(String value) {
            type = value;
            return this;
        }

        public Builder subject(String value) {
            subject = value;
            return this;
        }

        public Builder time(Instant value) {
            time = value;
            return this;
        }

        public Builder dataSchema(URI value) {
            dataSchema = value == null ? null : value.toString();
            return this;
        }

        /**
         * Sets the data.
         *
         * @param contentType media type, such as {@code application/json}; null = not said
         * @param value bytes of that type; null = none
         */
        public Builder data(String contentType, byte[] value) {
            dataContentType = contentType;
            data = value == null || value.length == 0 ? null : value;
            return this;
        }

        /**
         * Adds an extension attribute.
         *
         * @param name lower-case letters and digits
         * @param value String, Boolean, Integer, Instant or byte[]
         * @throws RingtableException RT-5014 if the name or the type is another
         */
        public Builder extension(String name, Object value) {
            Objects.requireNonNull(value, "value");
            if (!EXTENSION_NAME.matcher(name).matches() || ATTRIBUTES.contains(name)) {
                throw RingtableException.content("'" + name + "' is no name for an extension of a CloudEvent: use"
                        + " lower-case letters and digits, and no attribute's name");
            }
            if (!EXTENSION_TYPES.contains(value.getClass())) {
                throw RingtableException.content("extension '" + name + "' of a CloudEvent is a "
                        + value.getClass().getName() + ": use String, Boolean, Integer, Instant or byte[]");
            }
            extensions.put(name, value);
            return this;
        }

        /** @throws RingtableException RT-5014 if id, source or type is missing */
        public CloudEvent build() {
            required("id", id);
            required("source", source);
            required("type", type);
            return new CloudEvent(this);
        }

        private static void required(String name, String value) {
            if (value == null || value.isEmpty()) {
                throw RingtableException.content("a CloudEvent needs its attribute '" + name + "'");
            }
        }
    }
}
