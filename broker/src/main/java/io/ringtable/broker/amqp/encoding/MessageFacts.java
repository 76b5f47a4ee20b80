package io.ringtable.broker.amqp.encoding;

import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.MessageGroup;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.trace.TraceContext;
import io.ringtable.wire.Encoding;
import io.ringtable.wire.MalformedMessage;
import io.ringtable.wire.Sections;
import io.ringtable.wire.Structure;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Reads the facts of an encoded message that the broker acts on, without decoding more than needed. Steps over every
 * section, so the broker refuses bytes that are not a message before it stores them. Also refuses a message whose
 * header, annotations or properties are beyond the bounds of what the broker or a client should have to decode.
 * <p>
 * Thread: one at a time; one instance per connection, overwritten by each {@link #read}.
 */
public final class MessageFacts {
    /** {@link #jmsDestination} of a message without that annotation. */
    static final int JMS_DESTINATION_NONE = -1;

    /** The most properties of one message, and the most annotations. */
    public static final int ENTRIES_MAX = 4_096;
    /** The most bytes of one section other than the body. */
    static final int SECTION_BYTES_MAX = 1 << 20;

    /** The last millisecond of the year 9999, ms since the epoch: every store has it, and none has much later times. */
    private static final long LAST_MS = 253_402_300_799_999L;

    private static final String BEYOND = "RT-4301";

    private static final byte[] DELIVERY_TIME = Sections.ascii("x-opt-delivery-time");
    private static final byte[] JMS_DESTINATION = Sections.ascii("x-opt-jms-dest");
    /** The name that JMS clients of ActiveMQ Artemis know. */
    private static final byte[] DUPLICATE_ID = Sections.ascii("_AMQ_DUPL_ID");

    private static final byte[] TRACE_PARENT = Sections.ascii("traceparent");

    /** The longest group id that a publisher may give, in characters. */
    static final int GROUP_ID_MAX = 1_024;

    private static final int PROPERTIES_FIELDS = 13;

    private final MessageTraces traces;
    private final boolean traced; // whether the facts look for the trace of a message
    private final Sections sections = new Sections();
    private final Structure structure = new Structure();
    private final LastText lastTo = new LastText();
    private final LastText lastGroupId = new LastText();
    private final PartitionKey partitionKey = new PartitionKey();

    boolean durable;
    /** 0 to 9. */
    int priority;
    /** ms; -1 = none. */
    long ttlMs;
    /** ms since the epoch, within the year 9999; 0 = never. */
    long absoluteExpiry;
    /** Annotation {@code x-opt-delivery-time}, ms since the epoch, within the year 9999; 0 = immediately. */
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

    /** As {@link Message#traceAt}. */
    private int traceAt;

    /** Where {@code properties.message-id} begins; -1 if absent. */
    private int messageIdAt;

    private boolean bounded; // the message comes from a client

    /** JMSXGroupSeq -1, which closes a group as in Artemis and ActiveMQ. */
    private static final long CLOSING = 0xffffffffL;

    /** @param traces decides which sampled messages are recorded */
    public MessageFacts(MessageTraces traces) {
        this.traces = traces;
        this.traced = traces.isOn();
    }

    /**
     * Reads a message that a client sends.
     *
     * @throws MalformedMessage if the bytes are not a well-formed message with a section, or are beyond the bounds
     */
    public MessageFacts read(byte[] bytes, int from, int end) throws MalformedMessage {
        bounded = true;
        return readSections(bytes, from, end);
    }

    /**
     * Reads a stored message, which may be older than the bounds.
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
            switch (sections.code()) {
                case Sections.HEADER -> readHeader(bytes);
                case Sections.DELIVERY_ANNOTATIONS -> stepOverEntries(bytes);
                case Sections.MESSAGE_ANNOTATIONS -> readAnnotations(bytes);
                case Sections.PROPERTIES -> readProperties(bytes);
                case Sections.APPLICATION_PROPERTIES -> readApplicationProperties(bytes);
                default -> {
                    // The broker acts on nothing in the body.
                }
            }
        }
        if (traceAt != 0 && !traces.admits()) {
            traceAt = 0;
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
        partitionKey.reset();
        traceAt = 0;
    }

    /** Returns 0 to 9. */
    public int priority() {
        return priority;
    }

    /** Returns ms since the epoch, within the year 9999; 0 = immediately. */
    public long deliveryTime() {
        return deliveryTime;
    }

    /** Returns 0 queue, 1 topic, 2 and 3 their temporary kinds; {@link #JMS_DESTINATION_NONE} if absent. */
    public int jmsDestination() {
        return jmsDestination;
    }

    /** Returns {@code properties.to}; null if absent. */
    public String to() {
        return to;
    }

    /** Returns the id that the publisher gave for deduplication; null if absent. */
    public DuplicateId duplicateId() {
        return duplicateId;
    }

    /** Returns where the trace of a sampled message stands, as {@link Message#traceAt}; 0 = nowhere. */
    public int traceAt() {
        return traceAt;
    }

    /** Returns when the message expires by the broker's clock; 0 = never. A time to live counts from its arrival. */
    public long expiresAt(long now) {
        return ttlMs >= 0 ? now + ttlMs : absoluteExpiry;
    }

    /** Returns the group of the message; null if it has none. */
    public MessageGroup group() {
        return groupId == null ? null : MessageGroup.of(groupId, groupSequence == CLOSING);
    }

    /** Returns the group id, or else the partition key, of the message that was read last; null if it has neither. */
    public String orderKey(byte[] bytes) throws MalformedMessage {
        return groupId != null ? groupId : partitionKey.read(bytes);
    }

    /** Refuses a group id that a publisher may not give; the broker serves stored messages with any group id. */
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
        for (int i = 0; i < count && i < HeaderFields.COUNT; i++) {
            int after = Encoding.skip(bytes, position, sections.next());
            if (bounded) {
                HeaderFields.requireType(i, bytes[position] & 0xff);
            }
            switch (i) {
                case 0 -> durable = Encoding.isTrue(bytes, position);
                case 1 ->
                    priority = priority(Encoding.number(bytes, position, sections.next(), Message.PRIORITY_NORMAL));
                case 2 -> ttlMs = Encoding.number(bytes, position, sections.next(), -1);
                default -> {
                    // The broker writes the other fields itself.
                }
            }
            position = after;
        }
        requireEnd(position, count <= HeaderFields.COUNT);
    }

    private static int priority(long given) {
        return (int) Math.max(0, Math.min(9, given));
    }

    private void readAnnotations(byte[] bytes) throws MalformedMessage {
        int position = sections.first();
        int left = entries();
        for (; left > 1; left -= 2) {
            int value = valueEnd(bytes, position);
            int after = valueEnd(bytes, value);
            if (Encoding.textEquals(bytes, position, sections.next(), DELIVERY_TIME)) {
                deliveryTime = time(Encoding.number(bytes, value, sections.next(), 0));
            } else if (Encoding.textEquals(bytes, position, sections.next(), JMS_DESTINATION)) {
                jmsDestination = (int) Encoding.number(bytes, value, sections.next(), JMS_DESTINATION_NONE);
            } else if (Encoding.textEquals(bytes, position, sections.next(), DUPLICATE_ID)) {
                readDuplicateId(bytes, value);
            } else if (traced && Encoding.textEquals(bytes, position, sections.next(), TRACE_PARENT)) {
                readTrace(bytes, value);
            } else if (Encoding.textEquals(bytes, position, sections.next(), PartitionKey.NAME)) {
                partitionKey.found(value);
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
            if (Encoding.textEquals(bytes, position, sections.next(), DUPLICATE_ID)) {
                readDuplicateId(bytes, value);
            } else if (traced && Encoding.textEquals(bytes, position, sections.next(), TRACE_PARENT)) {
                readTrace(bytes, value);
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

    /** Returns how many keys and values the section's map has. */
    private int entries() throws MalformedMessage {
        int count = sections.count();
        if (bounded && (count < 0 || count > 2 * ENTRIES_MAX)) {
            throw new MalformedMessage(
                    BEYOND,
                    "section 0x" + Integer.toHexString(sections.code()) + " has " + Integer.toUnsignedString(count)
                            + " keys and values: at most " + ENTRIES_MAX + " properties, and as many annotations");
        }
        requireBytes();
        return count;
    }

    private void requireBytes() throws MalformedMessage {
        if (bounded && sections.next() - sections.start() > SECTION_BYTES_MAX) {
            throw new MalformedMessage(
                    BEYOND,
                    "section 0x" + Integer.toHexString(sections.code()) + " has " + (sections.next() - sections.start())
                            + " bytes: a section of properties or annotations has at most " + SECTION_BYTES_MAX
                            + ", put more into the body");
        }
    }

    /** Returns where the value ends, with everything inside it. */
    private int valueEnd(byte[] bytes, int value) throws MalformedMessage {
        return bounded && Structure.isNested(Encoding.code(bytes, value, sections.next()))
                ? structure.check(bytes, value, sections.next())
                : Encoding.skip(bytes, value, sections.next());
    }

    /** Refuses a section whose elements do not match its count. */
    private void requireEnd(int position, boolean counts) throws MalformedMessage {
        if (bounded && (position != sections.next() || !counts)) {
            throw new MalformedMessage(
                    "section 0x" + Integer.toHexString(sections.code()) + " at byte " + sections.start()
                            + " does not match its count of " + Integer.toUnsignedString(sections.count())
                            + " elements");
        }
    }

    /** Returns the nearest time that every store has. */
    private static long time(long ms) {
        return Math.max(0, Math.min(LAST_MS, ms));
    }

    /**
     * Returns the id for deduplication where the message id counts: {@link #duplicateId}, or else the message id of any
     * type; null if the message has neither.
     *
     * @param bytes the message that was read last
     * @throws MalformedMessage if the id is too long to be kept
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
            case Encoding.STRING_8, Encoding.STRING_32 -> messageId('s', Encoding.variable(bytes, messageIdAt));
            case Encoding.BINARY_8, Encoding.BINARY_32 -> messageId('b', Encoding.variable(bytes, messageIdAt));
            default -> throw new MalformedMessage("a message-id cannot have type 0x" + Integer.toHexString(code));
        };
    }

    private static DuplicateId messageId(char type, byte[] value) throws MalformedMessage {
        if (value.length < 1 || value.length > DuplicateId.MESSAGE_ID_BYTES_MAX) {
            throw new MalformedMessage("the policy of its address deduplicates by message-id, which must have 1 to "
                    + DuplicateId.MESSAGE_ID_BYTES_MAX + " bytes, not " + value.length);
        }
        return DuplicateId.ofMessageId(type, value);
    }

    /** Takes the context of an application property for that of an annotation, which stands before it. */
    private void readTrace(byte[] bytes, int value) {
        int at = Encoding.textStart(bytes, value);
        traceAt = at > 0 && TraceContext.isSampled(bytes, at, Encoding.textLength(bytes, value)) ? at : 0;
    }

    private void readDuplicateId(byte[] bytes, int value) throws MalformedMessage {
        byte[] id = Encoding.variable(bytes, value);
        if (id.length < 1 || id.length > DuplicateId.BYTES_MAX) {
            throw new MalformedMessage("_AMQ_DUPL_ID is a string or a binary of 1 to " + DuplicateId.BYTES_MAX
                    + " bytes, not of type 0x" + Integer.toHexString(bytes[value] & 0xff) + " with " + id.length);
        }
        duplicateId = new DuplicateId(id);
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
                case 8 -> absoluteExpiry = time(Encoding.number(bytes, position, sections.next(), 0));
                case 10 -> groupId = lastGroupId.read(bytes, position);
                case 11 -> groupSequence = Encoding.number(bytes, position, sections.next(), 0);
                default -> {
                    // The broker acts on no other property.
                }
            }
            position = after;
        }
        requireEnd(position, count <= PROPERTIES_FIELDS);
    }
}
