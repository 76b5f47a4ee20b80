package io.ringtable.broker.amqp;

import io.ringtable.broker.message.Message;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What the broker acts on, read from an encoded message without decoding more than needed. Every section is stepped
 * over, so that what is not a message is refused before it is stored.
 * <p>
 * Thread: one at a time; one instance per connection, overwritten by each {@link #read}.
 */
final class MessageFacts {
    /** {@link #jmsDestination} of a message that does not say. */
    static final int JMS_DESTINATION_NONE = -1;

    private static final byte[] DELIVERY_TIME = Sections.ascii("x-opt-delivery-time");
    private static final byte[] JMS_DESTINATION = Sections.ascii("x-opt-jms-dest");

    private final Sections sections = new Sections();
    private int toStart;
    private int toLength;
    private byte[] lastTo = new byte[0];
    private String lastToText = "";

    boolean durable;
    /** 0 to 9. */
    int priority;
    /** ms; -1 = none. */
    long ttlMs;
    /** ms since the epoch; 0 = never. */
    long absoluteExpiry;
    /** Annotation {@code x-opt-delivery-time}, ms since the epoch; 0 = at once. */
    long deliveryTime;
    /** Annotation {@code x-opt-jms-dest}: 0 queue, 1 topic, 2 and 3 their temporary kinds. */
    int jmsDestination;
    /** {@code properties.to}; null if absent. */
    String to;

    /** @throws MalformedMessage if the bytes are not a well-formed message with at least one section */
    MessageFacts read(byte[] bytes, int from, int end) throws MalformedMessage {
        reset();
        sections.over(bytes, from, end);
        if (from == end) {
            throw new MalformedMessage("no section at all");
        }
        while (sections.advance()) {
            switch (sections.code) {
                case Sections.HEADER -> readHeader(bytes);
                case Sections.MESSAGE_ANNOTATIONS -> readAnnotations(bytes);
                case Sections.PROPERTIES -> readProperties(bytes);
                default -> {
                    // Nothing of the body concerns the broker.
                }
            }
        }
        return this;
    }

    private void reset() {
        durable = false;
        priority = Message.PRIORITY_NORMAL;
        ttlMs = -1;
        absoluteExpiry = 0;
        deliveryTime = 0;
        jmsDestination = JMS_DESTINATION_NONE;
        to = null;
    }

    /** When it expires by the broker's clock; a time to live counts from its arrival. 0 = never. */
    long expiresAt(long now) {
        return ttlMs >= 0 ? now + ttlMs : absoluteExpiry;
    }

    private void readHeader(byte[] bytes) throws MalformedMessage {
        int position = sections.first();
        int count = sections.count();
        for (int i = 0; i < count && i < 3; i++) {
            int after = Encoding.skip(bytes, position, sections.next);
            switch (i) {
                case 0 -> durable = Encoding.isTrue(bytes, position);
                case 1 ->
                    priority =
                            (int) Math.min(9, Encoding.number(bytes, position, sections.next, Message.PRIORITY_NORMAL));
                default -> ttlMs = Encoding.number(bytes, position, sections.next, -1);
            }
            position = after;
        }
    }

    private void readAnnotations(byte[] bytes) throws MalformedMessage {
        int position = sections.first();
        for (int left = sections.count(); left > 1; left -= 2) {
            int value = Encoding.skip(bytes, position, sections.next);
            int after = Encoding.skip(bytes, value, sections.next);
            if (Encoding.textEquals(bytes, position, sections.next, DELIVERY_TIME)) {
                deliveryTime = Math.max(0, Encoding.number(bytes, value, sections.next, 0));
            } else if (Encoding.textEquals(bytes, position, sections.next, JMS_DESTINATION)) {
                jmsDestination = (int) Encoding.number(bytes, value, sections.next, JMS_DESTINATION_NONE);
            }
            position = after;
        }
    }

    private void readProperties(byte[] bytes) throws MalformedMessage {
        int position = sections.first();
        int count = sections.count();
        // message-id, user-id, to, subject, reply-to, correlation-id, content-type, content-encoding,
        // absolute-expiry-time
        for (int i = 0; i < count && i < 9; i++) {
            int after = Encoding.skip(bytes, position, sections.next);
            if (i == 2) {
                readTo(bytes, position);
            } else if (i == 8) {
                absoluteExpiry = Math.max(0, Encoding.number(bytes, position, sections.next, 0));
            }
            position = after;
        }
    }

    private void readTo(byte[] bytes, int position) {
        int code = bytes[position] & 0xff;
        if (code == Encoding.STRING_8) {
            toStart = position + 2;
            toLength = bytes[position + 1] & 0xff;
        } else if (code == Encoding.STRING_32) {
            toStart = position + 5;
            toLength = Encoding.int32(bytes, position + 1);
        } else {
            return;
        }
        // Messages of one producer mostly go where the last one went.
        if (!Arrays.equals(lastTo, 0, lastTo.length, bytes, toStart, toStart + toLength)) {
            lastTo = Arrays.copyOfRange(bytes, toStart, toStart + toLength);
            lastToText = new String(lastTo, StandardCharsets.UTF_8);
        }
        to = lastToText;
    }
}
