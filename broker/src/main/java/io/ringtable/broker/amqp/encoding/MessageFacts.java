package io.ringtable.broker.amqp.encoding;

import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.MessageGroup;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What the broker acts on, read from an encoded message without decoding more than needed. Every section is stepped
 * over, so that what is not a message is refused before it is stored; so is one whose header, annotations or properties are beyond
 * the bounds of what the broker or another client should have to decode.
 * <p>
 * Thread: one at a time; one instance per connection, overwritten by each {@link #read}.
 */
public final class MessageFacts {
    /** {@link #jmsDestination} of a message that does not say. */
    static final int JMS_DESTINATION_NONE = -1;

    /** Properties, or annotations, of one message. */
    public static final int ENTRIES_MAX = 4_096;
    /** Bytes of one section that is no body. */
    static final int SECTION_BYTES_MAX = 1 << 20;

    /** The last millisecond of the year 9999, ms since the epoch: every store has it, and none much later. */
    private static final long LAST_MS = 253_402_300_799_999L;

    private static final String BEYOND = "RT-4301";
    private static final String FIELD = "RT-4302";

    private static final byte[] DELIVERY_TIME = Sections.ascii("x-opt-delivery-time");
    private static final byte[] JMS_DESTINATION = Sections.ascii("x-opt-jms-dest");
    /** The name that JMS clients of ActiveMQ Artemis know. */
    private static final byte[] DUPLICATE_ID = Sections.ascii("_AMQ_DUPL_ID");

    /** Longest group id that a publisher may give, in characters. */
    static final int GROUP_ID_MAX = 1_024;

    private static final byte[] NONE = {};

    private static final String[] HEADER = {"durable", "priority", "ttl", "first-acquirer", "delivery-count"};
    private static final int HEADER_FIELDS = HEADER.length;
    private static final int PROPERTIES_FIELDS = 13;

    private final Sections sections = new Sections();
    private final Structure structure = new Structure();
    private final LastText lastTo = new LastText();
    private final LastText lastGroupId = new LastText();

    boolean durable;
    /** 0 to 9. */
    int priority;
    /** ms; -1 = none. */
    long ttlMs;
    /** ms since the epoch, within the year 9999; 0 = never. */
    long absoluteExpiry;
    /** Annotation {@code x-opt-delivery-time}, ms since the epoch, within the year 9999; 0 = at once. */
    long deliveryTime;
    /** Annotation {@code x-opt-jms-dest}: 0 queue, 1 topic, 2 and 3 their temporary kinds. */
    int jmsDestination;
    /** {@code properties.to}; null if absent. */
    String to;
    /** {@code properties.group-id}; null if absent. */
    String groupId;
    /** {@code properties.group-sequence}; 0 if absent. */
    long groupSequence;
    /** Application property {@code _AMQ_DUPL_ID}, else the annotation of that name; null if absent. */
    DuplicateId duplicateId;

    /** Where {@code properties.message-id} begins; -1 if absent. */
    private int messageIdAt;

    private boolean bounded; // what is read comes from a client

    /** As Artemis and ActiveMQ have it: JMSXGroupSeq -1 closes a group. */
    private static final long CLOSING = 0xffffffffL;

    /** @throws MalformedMessage if the bytes are not a well-formed message with at least one section, or one beyond the bounds */
    public MessageFacts read(byte[] bytes, int from, int end) throws MalformedMessage {
        bounded = true;
        return readSections(bytes, from, end);
    }

    /**
     * The same for one that is stored: the bounds are younger than some of those.
     *
     * @throws MalformedMessage if the bytes are not a well-formed message
     */
    MessageFacts readStored(byte[] bytes) throws MalformedMessage {
        bounded = false;
        return readSections(bytes, 0, bytes.length);
    }

    private MessageFacts readSections(byte[] bytes, int from, int end) throws MalformedMessage {
        reset();
        sections.over(bytes, from, end);
        if (from == end) {
            throw new MalformedMessage("no section at all");
        }
        while (sections.advance()) {
            switch (sections.code) {
                case Sections.HEADER -> readHeader(bytes);
                case Sections.DELIVERY_ANNOTATIONS -> stepOverEntries(bytes);
                case Sections.MESSAGE_ANNOTATIONS -> readAnnotations(bytes);
                case Sections.PROPERTIES -> readProperties(bytes);
                case Sections.APPLICATION_PROPERTIES -> readApplicationProperties(bytes);
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
        groupId = null;
        groupSequence = 0;
        duplicateId = null;
        messageIdAt = -1;
    }

    /** 0 to 9. */
    public int priority() {
        return priority;
    }

    /** ms since the epoch, within the year 9999; 0 = at once. */
    public long deliveryTime() {
        return deliveryTime;
    }

    /** 0 queue, 1 topic, 2 and 3 their temporary kinds; {@link #JMS_DESTINATION_NONE} if the message does not say. */
    public int jmsDestination() {
        return jmsDestination;
    }

    /** Null if absent. */
    public String to() {
        return to;
    }

    /** Null if absent. */
    public DuplicateId duplicateId() {
        return duplicateId;
    }

    /** When it expires by the broker's clock; a time to live counts from its arrival. 0 = never. */
    public long expiresAt(long now) {
        return ttlMs >= 0 ? now + ttlMs : absoluteExpiry;
    }

    /** Null if it is of none. */
    public MessageGroup group() {
        return groupId == null ? null : MessageGroup.of(groupId, groupSequence == CLOSING);
    }

    /** Whether a publisher may give it: what is stored already is served whatever its length. */
    public void checkGroup() throws MalformedMessage {
        if (groupId != null && groupId.length() > GROUP_ID_MAX) {
            throw new MalformedMessage(
                    "RT-4341",
                    "its group-id (JMSXGroupID) has " + groupId.length() + " characters, " + GROUP_ID_MAX
                            + " are allowed: give it a shorter one");
        }
    }

    private void readHeader(byte[] bytes) throws MalformedMessage {
        int position = sections.first();
        int count = sections.count();
        for (int i = 0; i < count && i < HEADER_FIELDS; i++) {
            int after = Encoding.skip(bytes, position, sections.next);
            if (bounded) {
                requireHeaderType(i, bytes[position] & 0xff);
            }
            switch (i) {
                case 0 -> durable = Encoding.isTrue(bytes, position);
                case 1 -> priority = priority(Encoding.number(bytes, position, sections.next, Message.PRIORITY_NORMAL));
                case 2 -> ttlMs = Encoding.number(bytes, position, sections.next, -1);
                default -> {
                    // The broker writes the others itself.
                }
            }
            position = after;
        }
        requireEnd(position, count <= HEADER_FIELDS);
    }

    private static int priority(long given) {
        return (int) Math.max(0, Math.min(9, given));
    }

    /** Clients cannot read a header whose fields have other types, so it would go round among them until it is dead. */
    private static void requireHeaderType(int field, int code) throws MalformedMessage {
        boolean fits = code == Encoding.NULL
                || switch (field) {
                    case 0, 3 -> code == Encoding.TRUE || code == Encoding.FALSE || code == Encoding.BOOLEAN;
                    case 1 -> code == Encoding.UBYTE;
                    default -> code == Encoding.UINT_0 || code == Encoding.UINT_SMALL || code == Encoding.UINT;
                };
        if (!fits) {
            throw new MalformedMessage(
                    FIELD,
                    "header field " + HEADER[field] + " has a value of type 0x" + Integer.toHexString(code)
                            + ": durable and first-acquirer are booleans, priority is a ubyte, ttl and delivery-count are"
                            + " uints");
        }
    }

    private void readAnnotations(byte[] bytes) throws MalformedMessage {
        int position = sections.first();
        int left = entries();
        for (; left > 1; left -= 2) {
            int value = valueEnd(bytes, position);
            int after = valueEnd(bytes, value);
            if (Encoding.textEquals(bytes, position, sections.next, DELIVERY_TIME)) {
                deliveryTime = time(Encoding.number(bytes, value, sections.next, 0));
            } else if (Encoding.textEquals(bytes, position, sections.next, JMS_DESTINATION)) {
                jmsDestination = (int) Encoding.number(bytes, value, sections.next, JMS_DESTINATION_NONE);
            } else if (Encoding.textEquals(bytes, position, sections.next, DUPLICATE_ID)) {
                readDuplicateId(bytes, value);
            }
            position = after;
        }
        requireEnd(position, left == 0);
    }

    private void readApplicationProperties(byte[] bytes) throws MalformedMessage {
        int position = sections.first();
        int left = entries();
        for (; left > 1; left -= 2) {
            int value = valueEnd(bytes, position);
            int after = valueEnd(bytes, value);
            if (Encoding.textEquals(bytes, position, sections.next, DUPLICATE_ID)) {
                readDuplicateId(bytes, value);
            }
            position = after;
        }
        requireEnd(position, left == 0);
    }

    private void stepOverEntries(byte[] bytes) throws MalformedMessage {
        int position = sections.first();
        int left = entries();
        for (; left > 1; left -= 2) {
            position = valueEnd(bytes, valueEnd(bytes, position));
        }
        requireEnd(position, left == 0);
    }

    /** Keys and values of the section's map. */
    private int entries() throws MalformedMessage {
        int count = sections.count();
        if (bounded && (count < 0 || count > 2 * ENTRIES_MAX)) {
            throw new MalformedMessage(
                    BEYOND,
                    "section 0x" + Integer.toHexString(sections.code) + " has " + Integer.toUnsignedString(count)
                            + " keys and values: at most " + ENTRIES_MAX + " properties, and as many annotations");
        }
        requireBytes();
        return count;
    }

    private void requireBytes() throws MalformedMessage {
        if (bounded && sections.next - sections.start > SECTION_BYTES_MAX) {
            throw new MalformedMessage(
                    BEYOND,
                    "section 0x" + Integer.toHexString(sections.code) + " has " + (sections.next - sections.start)
                            + " bytes: properties and annotations have at most " + SECTION_BYTES_MAX
                            + " a section, put more into the body");
        }
    }

    /** Where the value ends, with everything inside it. */
    private int valueEnd(byte[] bytes, int value) throws MalformedMessage {
        return bounded && Structure.isNested(Encoding.code(bytes, value, sections.next))
                ? structure.check(bytes, value, sections.next)
                : Encoding.skip(bytes, value, sections.next);
    }

    /** Whoever counts on what the section says of itself must find it so. */
    private void requireEnd(int position, boolean counts) throws MalformedMessage {
        if (bounded && (position != sections.next || !counts)) {
            throw new MalformedMessage("section 0x" + Integer.toHexString(sections.code) + " at byte " + sections.start
                    + " says it has " + Integer.toUnsignedString(sections.count()) + " elements, and has not");
        }
    }

    /** Within what every store has. */
    private static long time(long ms) {
        return Math.max(0, Math.min(LAST_MS, ms));
    }

    /**
     * What a message is stored once by where its own id counts: {@link #duplicateId}, or else its message id, of whatever type; null if
     * it has neither.
     *
     * @param bytes those that were read last
     * @throws MalformedMessage if it has an id that cannot be kept
     */
    public DuplicateId duplicateIdOrMessageId(byte[] bytes) throws MalformedMessage {
        if (duplicateId != null || messageIdAt < 0 || (bytes[messageIdAt] & 0xff) == Encoding.NULL) {
            return duplicateId;
        }
        int code = bytes[messageIdAt] & 0xff;
        return switch (code) {
            case Encoding.ULONG_0, Encoding.ULONG_SMALL, Encoding.ULONG -> {
                long number = Encoding.number(bytes, messageIdAt, bytes.length, 0);
                yield messageId(
                        'l', ByteBuffer.allocate(Long.BYTES).putLong(number).array());
            }
            case Encoding.UUID -> messageId('u', Arrays.copyOfRange(bytes, messageIdAt + 1, messageIdAt + 17));
            case Encoding.STRING_8, Encoding.STRING_32 -> messageId('s', variable(bytes, messageIdAt));
            case Encoding.BINARY_8, Encoding.BINARY_32 -> messageId('b', variable(bytes, messageIdAt));
            default -> throw new MalformedMessage("a message-id is no value of type 0x" + Integer.toHexString(code));
        };
    }

    private static DuplicateId messageId(char type, byte[] value) throws MalformedMessage {
        if (value.length < 1 || value.length > DuplicateId.MESSAGE_ID_BYTES_MAX) {
            throw new MalformedMessage(
                    "by the policy of its address the message is stored once by its message-id, and that" + " has 1 to "
                            + DuplicateId.MESSAGE_ID_BYTES_MAX + " bytes, not " + value.length);
        }
        return DuplicateId.ofMessageId(type, value);
    }

    private void readDuplicateId(byte[] bytes, int value) throws MalformedMessage {
        byte[] id = variable(bytes, value);
        if (id.length < 1 || id.length > DuplicateId.BYTES_MAX) {
            throw new MalformedMessage("_AMQ_DUPL_ID is a string or a binary of 1 to " + DuplicateId.BYTES_MAX
                    + " bytes, not of type 0x" + Integer.toHexString(bytes[value] & 0xff) + " with " + id.length);
        }
        duplicateId = new DuplicateId(id);
    }

    /** The bytes of a string, symbol or binary; none of another type. */
    private static byte[] variable(byte[] bytes, int value) {
        return switch (bytes[value] & 0xff) {
            case Encoding.STRING_8, Encoding.SYMBOL_8, Encoding.BINARY_8 ->
                Arrays.copyOfRange(bytes, value + 2, value + 2 + (bytes[value + 1] & 0xff));
            case Encoding.STRING_32, Encoding.SYMBOL_32, Encoding.BINARY_32 ->
                Arrays.copyOfRange(bytes, value + 5, value + 5 + Encoding.int32(bytes, value + 1));
            default -> NONE;
        };
    }

    private void readProperties(byte[] bytes) throws MalformedMessage {
        int position = sections.first();
        int count = sections.count();
        // message-id, user-id, to, subject, reply-to, correlation-id, content-type, content-encoding,
        // absolute-expiry-time, creation-time, group-id, group-sequence, reply-to-group-id
        requireBytes();
        for (int i = 0; i < count && i < PROPERTIES_FIELDS; i++) {
            int after = valueEnd(bytes, position);
            switch (i) {
                case 0 -> messageIdAt = position;
                case 2 -> to = lastTo.read(bytes, position);
                case 8 -> absoluteExpiry = time(Encoding.number(bytes, position, sections.next, 0));
                case 10 -> groupId = lastGroupId.read(bytes, position);
                case 11 -> groupSequence = Encoding.number(bytes, position, sections.next, 0);
                default -> {
                    // Nobody asks for it here.
                }
            }
            position = after;
        }
        requireEnd(position, count <= PROPERTIES_FIELDS);
    }

    /** A string that is mostly the same as in the message before, as those of one producer are. */
    private static final class LastText {
        private static final int KEPT_MAX = 4 * GROUP_ID_MAX;

        private byte[] bytes = new byte[0];
        private String text = "";

        /** Null if there is no string. */
        String read(byte[] message, int position) {
            int code = message[position] & 0xff;
            int start;
            int length;
            if (code == Encoding.STRING_8) {
                start = position + 2;
                length = message[position + 1] & 0xff;
            } else if (code == Encoding.STRING_32) {
                start = position + 5;
                length = Encoding.int32(message, position + 1);
            } else {
                return null;
            }
            if (length > KEPT_MAX) {
                return new String(message, start, length, StandardCharsets.UTF_8);
            }
            if (!Arrays.equals(bytes, 0, bytes.length, message, start, start + length)) {
                bytes = Arrays.copyOfRange(message, start, start + length);
                text = new String(bytes, StandardCharsets.UTF_8);
            }
            return text;
        }
    }
}
