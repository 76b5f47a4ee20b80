package io.ringtable.broker.amqp.encoding;

import io.ringtable.wire.Encoding;
import io.ringtable.wire.MalformedMessage;
import io.ringtable.wire.Sections;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Adds the reason why a message died to its message annotations, and removes it again. Other annotations keep their
 * place; those of an earlier death are replaced. The encoder removes time to live and expiry time, or clients would
 * discard the message unseen. Everything else stays as it came, byte for byte.
 * <p>
 * Thread: any; holds nothing. Failure: bytes that are not a message come back unchanged; the broker stores none.
 */
final class AmqpDeadLetterEncoder {
    /** Name of the address where delivery failed; string. */
    public static final String ADDRESS = "x-opt-ringtable-dead-letter-address";
    /** The subscription that gave up; string, absent for a queue. */
    public static final String SUBSCRIPTION = "x-opt-ringtable-dead-letter-subscription";
    /** Client id of that subscription; string, empty for a global one, absent for a queue. */
    static final String CLIENT_ID = "x-opt-ringtable-dead-letter-client-id";
    /** Reason for people to read; string. */
    static final String REASON = "x-opt-ringtable-dead-letter-reason";
    /** Number of failed deliveries; int. */
    public static final String COUNT = "x-opt-ringtable-dead-letter-count";
    /** Time of death; timestamp. */
    static final String TIME = "x-opt-ringtable-dead-letter-time";

    private static final int TTL = 2; // of the header
    private static final int ABSOLUTE_EXPIRY_TIME = 8; // of the properties

    private static final byte[][] OURS = {
        Sections.ascii(ADDRESS),
        Sections.ascii(SUBSCRIPTION),
        Sections.ascii(CLIENT_ID),
        Sections.ascii(REASON),
        Sections.ascii(COUNT),
        Sections.ascii(TIME)
    };

    /** Returns the dead letter, as {@link io.ringtable.broker.dispatch.consumer.MessageFormat#deadLetter} says. */
    public byte[] deadLetter(
            byte[] came, String address, String clientId, String subscription, String reason, int failures, long at) {
        try {
            byte[] encoded = without(Sections.HEADER, TTL, without(Sections.PROPERTIES, ABSOLUTE_EXPIRY_TIME, came));
            Annotations annotations = Annotations.of(encoded);
            annotations.put(ADDRESS, address);
            if (!subscription.isEmpty()) {
                annotations.put(SUBSCRIPTION, subscription);
                annotations.put(CLIENT_ID, clientId);
            }
            annotations.put(REASON, reason == null ? "rejected without a reason" : reason);
            annotations.putInt(COUNT, failures);
            annotations.putTimestamp(TIME, at);
            return annotations.in(encoded);
        } catch (MalformedMessage e) {
            return came;
        }
    }

    /** Returns the message, as {@link io.ringtable.broker.dispatch.consumer.MessageFormat#revived} says. */
    public byte[] revived(byte[] letter) {
        try {
            return Annotations.of(letter).in(letter);
        } catch (MalformedMessage e) {
            return letter;
        }
    }

    /** Returns the message with a null in that field of the section's list. */
    private static byte[] without(int section, int field, byte[] encoded) throws MalformedMessage {
        Sections sections = new Sections().over(encoded, 0, encoded.length);
        while (sections.advance() && sections.code() <= section) {
            if (sections.code() == section && sections.count() > field) {
                int from = sections.first();
                for (int i = 0; i < field; i++) {
                    from = Encoding.skip(encoded, from, sections.next());
                }
                return withNull(encoded, from, Encoding.skip(encoded, from, sections.next()), sections.value());
            }
        }
        return encoded;
    }

    /** Replaces the value between {@code from} and {@code to}; its list begins at {@code list}. */
    private static byte[] withNull(byte[] encoded, int from, int to, int list) {
        int fewer = to - from - 1;
        byte[] result = new byte[encoded.length - fewer];
        System.arraycopy(encoded, 0, result, 0, from);
        result[from] = Encoding.NULL;
        System.arraycopy(encoded, to, result, from + 1, encoded.length - to);
        if ((encoded[list] & 0xff) == Encoding.LIST_8) {
            result[list + 1] = (byte) (encoded[list + 1] - fewer);
        } else {
            Encoding.putInt32(result, list + 1, Encoding.int32(encoded, list + 1) - fewer);
        }
        return result;
    }

    /** Builds the message annotations of a message anew. */
    private static final class Annotations {
        private static final int HEAD = 3 + 1 + 4 + 4; // descriptor, map32, size, count

        private final ByteArrayOutputStream entries = new ByteArrayOutputStream(256);
        private int count;
        private int from; // where the message has its annotations, or will have them
        private int to;

        /** Begins with the annotations of a message that say nothing of a death. */
        static Annotations of(byte[] encoded) throws MalformedMessage {
            Annotations annotations = new Annotations();
            Sections sections = new Sections().over(encoded, 0, encoded.length);
            while (sections.advance() && sections.code() <= Sections.MESSAGE_ANNOTATIONS) {
                boolean are = sections.code() == Sections.MESSAGE_ANNOTATIONS;
                annotations.from = are ? sections.start() : sections.next();
                annotations.to = sections.next();
                if (are) {
                    annotations.keepThoseOf(sections);
                    break;
                }
            }
            return annotations;
        }

        private void keepThoseOf(Sections sections) throws MalformedMessage {
            byte[] bytes = sections.bytes();
            int position = sections.first();
            for (int left = sections.count(); left > 1; left -= 2) {
                int value = Encoding.skip(bytes, position, sections.next());
                int after = Encoding.skip(bytes, value, sections.next());
                if (!isOurs(bytes, position, sections.next())) {
                    entries.write(bytes, position, after - position);
                    count += 2;
                }
                position = after;
            }
        }

        private static boolean isOurs(byte[] bytes, int key, int end) {
            for (byte[] name : OURS) {
                if (Encoding.textEquals(bytes, key, end, name)) {
                    return true;
                }
            }
            return false;
        }

        void put(String key, String value) {
            putKey(key);
            byte[] text = value.getBytes(StandardCharsets.UTF_8);
            entries.write(Encoding.STRING_32);
            putInt32(text.length);
            entries.writeBytes(text);
        }

        void putInt(String key, int value) {
            putKey(key);
            entries.write(Encoding.INT);
            putInt32(value);
        }

        void putTimestamp(String key, long value) {
            putKey(key);
            entries.write(Encoding.TIMESTAMP);
            putInt32((int) (value >> 32));
            putInt32((int) value);
        }

        private void putKey(String key) {
            entries.write(Encoding.SYMBOL_8);
            entries.write(key.length());
            entries.writeBytes(Sections.ascii(key));
            count += 2;
        }

        private void putInt32(int value) {
            byte[] bytes = new byte[4];
            Encoding.putInt32(bytes, 0, value);
            entries.writeBytes(bytes);
        }

        /** Returns the message with these annotations instead of its own; without the section if there are none. */
        byte[] in(byte[] encoded) {
            int head = count == 0 ? 0 : HEAD;
            byte[] result = new byte[encoded.length - (to - from) + head + entries.size()];
            System.arraycopy(encoded, 0, result, 0, from);
            if (count > 0) {
                putMap(result);
            }
            System.arraycopy(encoded, to, result, from + head + entries.size(), encoded.length - to);
            return result;
        }

        private void putMap(byte[] result) {
            int at = from;
            result[at++] = Encoding.DESCRIBED;
            result[at++] = (byte) Encoding.ULONG_SMALL;
            result[at++] = (byte) Sections.MESSAGE_ANNOTATIONS;
            result[at++] = (byte) Encoding.MAP_32;
            Encoding.putInt32(result, at, 4 + entries.size());
            Encoding.putInt32(result, at + 4, count);
            at += 8;
            System.arraycopy(entries.toByteArray(), 0, result, at, entries.size());
        }
    }
}
