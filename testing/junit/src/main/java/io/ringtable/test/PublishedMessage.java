package io.ringtable.test;

import io.ringtable.client.Address;
import io.ringtable.client.RingtableException;
import io.ringtable.client.internal.encoding.EncodedMessage;
import java.util.Map;
import java.util.Optional;
import org.apache.qpid.protonj2.types.messaging.Properties;

/**
 * Shows a message that a publisher has sent and that the broker has accepted, whether or not anybody has consumed it
 * since. Immutable.
 */
public final class PublishedMessage {
    private static final int SHOWN_CHARACTERS = 60;

    private final Address address;
    private final byte[] encoded;

    PublishedMessage(Address address, byte[] encoded) {
        this.address = address;
        this.encoded = encoded;
    }

    /** Returns the address that the message was published to. */
    public Address address() {
        return address;
    }

    /**
     * Returns the body as text: an AMQP string, or data read as UTF-8.
     *
     * @throws RingtableException RT-5030 if the body is neither
     */
    public String text() {
        return message().text();
    }

    /**
     * Returns the body as bytes: data sections as they are, text in UTF-8.
     *
     * @throws RingtableException RT-5030 if the body is a list, a map or another AMQP value
     */
    public byte[] bytes() {
        return message().bytes();
    }

    /** Returns the body as a Java value: list, map, number, string, byte[] or null. */
    public Object value() {
        return message().value();
    }

    /** Returns the publisher's application properties, in their order. */
    public Map<String, Object> properties() {
        return message().applicationProperties();
    }

    /** Returns one application property, or null. */
    public Object property(String name) {
        return properties().get(name);
    }

    public Optional<String> messageId() {
        Properties properties = message().properties();
        return properties == null || properties.getMessageId() == null
                ? Optional.empty()
                : Optional.of(properties.getMessageId().toString());
    }

    public Optional<String> correlationId() {
        Properties properties = message().properties();
        return properties == null || properties.getCorrelationId() == null
                ? Optional.empty()
                : Optional.of(properties.getCorrelationId().toString());
    }

    public Optional<String> subject() {
        Properties properties = message().properties();
        return properties == null ? Optional.empty() : Optional.ofNullable(properties.getSubject());
    }

    /** Returns the message as it came on the wire. */
    byte[] encoded() {
        return encoded;
    }

    private EncodedMessage message() {
        return new EncodedMessage(encoded);
    }

    /** Shows the body, shortened, and the properties. */
    @Override
    public String toString() {
        String body;
        try {
            body = '"' + text() + '"';
        } catch (RingtableException notText) {
            body = String.valueOf(value());
        }
        if (body.length() > SHOWN_CHARACTERS) {
            body = body.substring(0, SHOWN_CHARACTERS) + "... (" + encoded.length + " bytes)";
        }
        Map<String, Object> properties = properties();
        return properties.isEmpty() ? body : body + " " + properties;
    }
}
