package io.ringtable.broker.amqp.management;

import io.ringtable.broker.amqp.encoding.MessageFacts;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.message.Printable;
import io.ringtable.wire.Encoding;
import io.ringtable.wire.MalformedMessage;
import io.ringtable.wire.Sections;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * Reads what a message asks for: the method in its {@code subject}, the path in its {@code to}. A message of a JMS
 * client names the node there, and has its path in an application property. So does a message by the anonymous relay.
 * <p>
 * Thread: the connection's event loop.
 */
final class RequestReader {
    /** The most bytes of a path with its query: an address of 400 characters may be percent-encoded. */
    static final int TARGET_BYTES_MAX = 8_192;
    /** The most bytes of an id, which the answer repeats. */
    static final int ID_BYTES_MAX = 1_024;

    private static final String MALFORMED = "RT-4391";
    private static final Pattern METHOD = Pattern.compile("[A-Z]{1,16}");
    private static final String PATH = "path";
    private static final byte[] NO_ID = {(byte) Encoding.NULL};

    private final MessageFacts facts;
    private final Sections sections = new Sections();
    private byte[] bytes;
    private byte[] messageId;
    private byte[] correlationId;
    private String subject;
    private String to;
    private String replyTo;
    private String path;

    /** @param facts hold the bounds of what clients send */
    RequestReader(MessageFacts facts) {
        this.facts = facts;
    }

    /** @throws MalformedMessage if the bytes are no message, or the message is no request */
    Request read(byte[] encoded) throws MalformedMessage {
        facts.read(encoded, 0, encoded.length);
        bytes = encoded;
        messageId = NO_ID;
        correlationId = NO_ID;
        subject = null;
        to = null;
        replyTo = null;
        path = null;
        sections.over(encoded, 0, encoded.length);
        while (sections.advance()) {
            if (sections.code() == Sections.PROPERTIES) {
                readProperties();
            } else if (sections.code() == Sections.APPLICATION_PROPERTIES) {
                readApplicationProperties();
            }
        }
        bytes = null;
        return request(encoded);
    }

    private Request request(byte[] encoded) throws MalformedMessage {
        if (subject == null || !METHOD.matcher(subject).matches()) {
            throw malformed("a request has its method, such as GET, in its subject (JMS type), not '"
                    + Printable.value(subject) + "'");
        }
        String target = to == null || NodeName.of(to).isManagement() ? path : to;
        if (target == null || !target.startsWith("/")) {
            throw malformed("a request has its path, such as /addresses, in 'to'. Where that names the node, as in JMS"
                    + " and by the anonymous relay, the path is in the application property '" + PATH
                    + "'. This path is '" + Printable.value(target) + "'");
        }
        if (replyTo == null) {
            throw malformed("a request says in reply-to where its answer goes: '" + ManagementLinks.ME
                    + "' for a link from this node, or the name of a queue");
        }
        byte[] id = messageId == NO_ID ? correlationId : messageId;
        return new Request(subject, target, replyTo, id, encoded);
    }

    private void readProperties() throws MalformedMessage {
        int position = sections.first();
        for (int i = 0; i < sections.count() && i <= 5; i++) {
            int after = Encoding.skip(bytes, position, sections.next());
            switch (i) {
                case 0 -> messageId = id(position, after);
                case 2 -> to = text(position, TARGET_BYTES_MAX);
                case 3 -> subject = text(position, ID_BYTES_MAX);
                case 4 -> replyTo = text(position, TARGET_BYTES_MAX);
                case 5 -> correlationId = id(position, after);
                default -> {
                    // The user id: who asks is who has logged in.
                }
            }
            position = after;
        }
    }

    private void readApplicationProperties() throws MalformedMessage {
        int position = sections.first();
        for (int left = sections.count(); left > 1; left -= 2) {
            int value = Encoding.skip(bytes, position, sections.next());
            if (Encoding.textEquals(bytes, position, PATH)) {
                path = text(value, TARGET_BYTES_MAX);
            }
            position = Encoding.skip(bytes, value, sections.next());
        }
    }

    private String text(int position, int most) throws MalformedMessage {
        if ((bytes[position] & 0xff) == Encoding.NULL) {
            return null;
        }
        int start = Encoding.textStart(bytes, position);
        int length = start < 0 ? -1 : Encoding.textLength(bytes, position);
        if (length < 0 || length > most) {
            throw malformed(
                    "to, subject, reply-to and '" + PATH + "' of a request are strings of at most " + most + " bytes");
        }
        return new String(bytes, start, length, StandardCharsets.UTF_8);
    }

    /** Returns the encoded id, whose type the answer repeats as well (AMQP 1.0 section 3.2.4). */
    private byte[] id(int position, int after) throws MalformedMessage {
        boolean isId = switch (bytes[position] & 0xff) {
            case Encoding.NULL,
                    Encoding.ULONG_0,
                    Encoding.ULONG_SMALL,
                    Encoding.ULONG,
                    Encoding.UUID,
                    Encoding.STRING_8,
                    Encoding.STRING_32,
                    Encoding.BINARY_8,
                    Encoding.BINARY_32 -> true;
            default -> false;
        };
        if (!isId || after - position > ID_BYTES_MAX) {
            throw malformed("message-id and correlation-id of a request are a ulong, a uuid, or a string or binary of"
                    + " at most " + ID_BYTES_MAX + " bytes");
        }
        return (bytes[position] & 0xff) == Encoding.NULL ? NO_ID : Arrays.copyOfRange(bytes, position, after);
    }

    private static MalformedMessage malformed(String text) {
        return new MalformedMessage(MALFORMED, text);
    }
}
