package io.ringtable.broker.amqp.inspect;

import io.ringtable.broker.inspect.DecodedBody;
import io.ringtable.broker.inspect.DecodedMessage;
import io.ringtable.broker.inspect.MessageCodec;
import io.ringtable.broker.inspect.MessageDraft;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.wire.MalformedMessage;
import io.ringtable.wire.SectionDecoder;
import io.ringtable.wire.Sections;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.MessageAnnotations;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Section;

/** Decodes encoded AMQP messages for people, and encodes what they write. Thread: one at a time. */
public final class AmqpMessageCodec implements MessageCodec {
    private static final String UNREADABLE = "unreadable";
    private static final String JMS_TYPE = "x-opt-jms-msg-type";

    private final SectionDecoder decoder = new SectionDecoder();
    private final BodyDecoder bodies = new BodyDecoder(decoder);
    private final DraftEncoder drafts;

    /** @param traces decides which sampled messages are recorded */
    public AmqpMessageCodec(MessageTraces traces) {
        this.drafts = new DraftEncoder(decoder, traces);
    }

    @Override
    public DecodedMessage decode(byte[] encoded, int bodyMax) {
        Map<String, Object> header = Map.of();
        Map<String, Object> annotations = Map.of();
        Map<String, Object> properties = Map.of();
        Map<String, Object> applicationProperties = Map.of();
        DecodedBody body = encoded.length == 0 ? BodyDecoder.damaged() : BodyDecoder.empty();
        PlainValues plain = new PlainValues();
        Sections sections = new Sections().over(encoded, 0, encoded.length);
        try {
            while (sections.advance()) {
                switch (sections.code()) {
                    case Sections.HEADER -> header = section(sections, plain);
                    case Sections.MESSAGE_ANNOTATIONS -> annotations = section(sections, plain);
                    case Sections.PROPERTIES -> properties = section(sections, plain);
                    case Sections.APPLICATION_PROPERTIES -> applicationProperties = section(sections, plain);
                    case Sections.DATA, Sections.SEQUENCE, Sections.VALUE -> {
                        body = bodies.decode(sections, text(properties), jmsType(annotations), bodyMax);
                        return new DecodedMessage(header, annotations, properties, applicationProperties, body);
                    }
                    default -> {
                        // Delivery annotations are of an earlier hop.
                    }
                }
            }
        } catch (MalformedMessage e) { // the message is older than the checks, or its row was changed by hand
            body = BodyDecoder.unreadable(encoded, sections.start(), encoded.length, bodyMax, e);
        }
        return new DecodedMessage(header, annotations, properties, applicationProperties, body);
    }

    private static String text(Map<String, Object> properties) {
        return properties.get("contentType") instanceof String type ? type : null;
    }

    private static int jmsType(Map<String, Object> annotations) {
        return annotations.get(JMS_TYPE) instanceof Number type ? type.intValue() : -1;
    }

    private Map<String, Object> section(Sections sections, PlainValues plain) {
        try {
            Section<?> section = decoder.decode(sections);
            if (section instanceof Header header) {
                return header(header);
            }
            if (section instanceof Properties properties) {
                return properties(properties, plain);
            }
            if (section instanceof MessageAnnotations annotations) {
                return annotations.getValue() == null ? Map.of() : plain.map(annotations.getValue());
            }
            ApplicationProperties properties = (ApplicationProperties) section;
            return properties.getValue() == null ? Map.of() : plain.map(properties.getValue());
        } catch (MalformedMessage e) {
            return Map.of(UNREADABLE, e.getMessage());
        } catch (RuntimeException e) { // of the library: the values are not of the types that the section has
            return Map.of(UNREADABLE, PlainValues.text(e.toString()));
        }
    }

    private static Map<String, Object> header(Header header) {
        Map<String, Object> plain = new LinkedHashMap<>();
        plain.put("durable", header.isDurable());
        if (header.hasPriority()) {
            plain.put("priority", (int) header.getPriority());
        }
        if (header.hasTimeToLive()) {
            plain.put("ttlMs", header.getTimeToLive());
        }
        return plain;
    }

    private static Map<String, Object> properties(Properties properties, PlainValues plain) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("messageId", properties.getMessageId());
        values.put("userId", userId(properties));
        values.put("to", properties.getTo());
        values.put("subject", properties.getSubject());
        values.put("replyTo", properties.getReplyTo());
        values.put("correlationId", properties.getCorrelationId());
        values.put("contentType", properties.getContentType());
        values.put("contentEncoding", properties.getContentEncoding());
        values.put(
                "absoluteExpiryTime",
                properties.hasAbsoluteExpiryTime() ? time(properties.getAbsoluteExpiryTime()) : null);
        values.put("creationTime", properties.hasCreationTime() ? time(properties.getCreationTime()) : null);
        values.put("groupId", properties.getGroupId());
        values.put("groupSequence", properties.hasGroupSequence() ? properties.getGroupSequence() : null);
        values.put("replyToGroupId", properties.getReplyToGroupId());
        values.values().removeIf(value -> value == null);
        return plain.map(values);
    }

    private static String userId(Properties properties) {
        return properties.getUserId() == null
                ? null
                : new String(properties.getUserId().asByteArray(), java.nio.charset.StandardCharsets.UTF_8);
    }

    private static String time(long ms) {
        return Instant.ofEpochMilli(ms).toString();
    }

    @Override
    public Message write(
            MessageDraft draft, Address to, PublisherLogin login, long now, LongSupplier bodyIds, int inlineBytesMax) {
        return drafts.message(drafts.encode(draft, to.name(), now), to, login, now, bodyIds, inlineBytesMax);
    }

    @Override
    public Message copy(
            byte[] encoded,
            MessageDraft changes,
            Address to,
            PublisherLogin login,
            long now,
            LongSupplier bodyIds,
            int inlineBytesMax) {
        return drafts.message(drafts.copy(encoded, changes, to.name()), to, login, now, bodyIds, inlineBytesMax);
    }
}
