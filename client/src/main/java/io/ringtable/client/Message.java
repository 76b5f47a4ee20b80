package io.ringtable.client;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Holds a message to publish. Immutable except the body, which is read when the message is published. A message may be
 * published any number of times.
 *
 * <pre>{@code
 * Message order = Message.builder()
 *         .json(Map.of("item", "book", "count", 2))
 *         .messageId("order-4711")
 *         .property("country", "PT")
 *         .timeToLive(Duration.ofHours(1))
 *         .build();
 * }</pre>
 */
public final class Message {

    /** Says how the body is written. */
    public enum BodyKind {
        /** Writes a data section with exactly these bytes. */
        BYTES,
        /** Writes an AMQP string: a JMS client sees a TextMessage. */
        TEXT,
        /** Writes a data section with the JSON of the object, and content type {@code application/json}. */
        JSON
    }

    /** Equals the normal priority of AMQP and JMS. */
    public static final int PRIORITY_NORMAL = 4;

    private static final int PRIORITY_MAX = 9;

    private final BodyKind bodyKind;
    private final Object body;
    private final String messageId;
    private final String correlationId;
    private final String subject;
    private final String replyTo;
    private final String contentType;
    private final String groupId;
    private final Map<String, Object> properties;
    private final boolean durable;
    private final int priority;
    private final Duration timeToLive;

    private Message(Builder builder) {
        bodyKind = builder.bodyKind;
        body = builder.body;
        messageId = builder.messageId;
        correlationId = builder.correlationId;
        subject = builder.subject;
        replyTo = builder.replyTo;
        contentType = builder.contentType;
        groupId = builder.groupId;
        properties = builder.properties.isEmpty()
                ? Map.of()
                : Collections.unmodifiableMap(new LinkedHashMap<>(builder.properties));
        durable = builder.durable;
        priority = builder.priority;
        timeToLive = builder.timeToLive;
    }

    public static Message bytes(byte[] body) {
        return builder().bytes(body).build();
    }

    public static Message text(String body) {
        return builder().text(body).build();
    }

    /** @param body anything that the client's JSON mapper can write */
    public static Message json(Object body) {
        return builder().json(body).build();
    }

    /** Makes a message of a CloudEvent in binary mode, as {@link Builder#cloudEvent} does. */
    public static Message cloudEvent(CloudEvent event) {
        return builder().cloudEvent(event).build();
    }

    public static Builder builder() {
        return new Builder();
    }

    public BodyKind bodyKind() {
        return bodyKind;
    }

    /** Returns a {@code byte[]} or a String as {@link #bodyKind()} says, or the object to write as JSON. */
    public Object body() {
        return body;
    }

    public Optional<String> messageId() {
        return Optional.ofNullable(messageId);
    }

    public Optional<String> correlationId() {
        return Optional.ofNullable(correlationId);
    }

    public Optional<String> subject() {
        return Optional.ofNullable(subject);
    }

    public Optional<String> replyTo() {
        return Optional.ofNullable(replyTo);
    }

    public Optional<String> contentType() {
        return Optional.ofNullable(contentType);
    }

    public Optional<String> groupId() {
        return Optional.ofNullable(groupId);
    }

    public Map<String, Object> properties() {
        return properties;
    }

    public boolean isDurable() {
        return durable;
    }

    public int priority() {
        return priority;
    }

    public Optional<Duration> timeToLive() {
        return Optional.ofNullable(timeToLive);
    }

    /** Collects the parts of a message, on one thread. The default body is an empty byte array. */
    public static final class Builder {

        private static final long TTL_MS_MAX = 0xFFFF_FFFFL;

        /** Lists the types that {@code EncodingWriter} of module {@code wire} writes. */
        private static final Set<Class<?>> PROPERTY_TYPES = Set.of(
                String.class,
                Boolean.class,
                Byte.class,
                Short.class,
                Integer.class,
                Long.class,
                Float.class,
                Double.class,
                Character.class,
                UUID.class,
                Instant.class,
                byte[].class);

        private BodyKind bodyKind = BodyKind.BYTES;
        private Object body = new byte[0];
        private String messageId;
        private String correlationId;
        private String subject;
        private String replyTo;
        private String contentType;
        private String groupId;
        private final Map<String, Object> properties = new LinkedHashMap<>();
        private boolean durable = true;
        private int priority = PRIORITY_NORMAL;
        private Duration timeToLive;

        private Builder() {}

        public Builder bytes(byte[] value) {
            return body(BodyKind.BYTES, value);
        }

        public Builder text(String value) {
            return body(BodyKind.TEXT, value);
        }

        /** Sets the body, and the content type {@code application/json} unless another one is set. */
        public Builder json(Object value) {
            return body(BodyKind.JSON, value);
        }

        /**
         * Sets a CloudEvent in binary mode. Its data becomes the body, and its content type that of the message. Its
         * other attributes become properties with the prefix {@code cloudEvents:}.
         */
        public Builder cloudEvent(CloudEvent event) {
            event.attributes().forEach((name, value) -> property("cloudEvents:" + name, value));
            contentType = event.dataContentType().orElse(null);
            return bytes(event.data().orElse(new byte[0]));
        }

        /**
         * Sets a CloudEvent in structured mode: attributes and data together as JSON in the body.
         *
         * @throws RingtableException RT-5014 if the data is not the JSON that its content type says
         */
        public Builder structuredCloudEvent(CloudEvent event) {
            return bytes(event.json()).contentType("application/cloudevents+json; charset=utf-8");
        }

        private Builder body(BodyKind kind, Object value) {
            bodyKind = kind;
            body = Objects.requireNonNull(value, "body");
            return this;
        }

        public Builder messageId(String value) {
            messageId = value;
            return this;
        }

        public Builder correlationId(String value) {
            correlationId = value;
            return this;
        }

        /** Sets the subject, which JMS clients see as {@code JMSType}. */
        public Builder subject(String value) {
            subject = value;
            return this;
        }

        public Builder replyTo(String value) {
            replyTo = value;
            return this;
        }

        public Builder contentType(String value) {
            contentType = value;
            return this;
        }

        /**
         * Puts the message into a group, JMS's {@code JMSXGroupID}: one consumer at a time gets the messages of a
         * group, in their order.
         *
         * @param value at most 1,024 characters; null = no group
         */
        public Builder groupId(String value) {
            groupId = value;
            return this;
        }

        /**
         * Adds an application property.
         *
         * @param value null, String, Boolean, Byte, Short, Integer, Long, Float, Double, Character, UUID, Instant or
         *     byte[]; JMS clients understand the first eight
         * @throws RingtableException RT-5014 if it is of another type
         */
        public Builder property(String name, Object value) {
            Objects.requireNonNull(name, "name");
            if (value != null && !PROPERTY_TYPES.contains(value.getClass())) {
                throw RingtableException.content(
                        "property '" + name + "' is a " + value.getClass().getName());
            }
            properties.put(name, value);
            return this;
        }

        public Builder properties(Map<String, ?> values) {
            values.forEach(this::property);
            return this;
        }

        /**
         * Sets the durable flag; default true. The broker stores messages to queues and durable subscriptions in either
         * case.
         */
        public Builder durable(boolean value) {
            durable = value;
            return this;
        }

        /**
         * Sets the priority, 0 to 9; default 4.
         *
         * @throws RingtableException RT-5014 if it is out of this range
         */
        public Builder priority(int value) {
            if (value < 0 || value > PRIORITY_MAX) {
                throw RingtableException.content("priority " + value + " is not within 0 to 9");
            }
            priority = value;
            return this;
        }

        /**
         * Sets how long the message may wait for delivery after the broker has taken it.
         *
         * @param value at least 1 ms, at most 49 days (2^32 ms); null = for ever
         * @throws RingtableException RT-5014 if it is out of this range
         */
        public Builder timeToLive(Duration value) {
            if (value != null && (value.toMillis() < 1 || value.toMillis() > TTL_MS_MAX)) {
                throw RingtableException.content(
                        "time to live " + value + " is not within 1 ms and " + TTL_MS_MAX + " ms");
            }
            timeToLive = value;
            return this;
        }

        public Message build() {
            return new Message(this);
        }
    }
}
