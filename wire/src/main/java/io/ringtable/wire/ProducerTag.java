package io.ringtable.wire;

/**
 * Writes and reads the delivery tag of a transfer on a link with a producer. The tag has two numbers of 64 bits, most
 * significant byte first. The first is the number of the transfer's first message, the second that of the message sent
 * before. A refused message does not count as sent.
 * <p>
 * Thread: any; holds nothing.
 */
public final class ProducerTag {
    private static final int PREVIOUS = Long.BYTES;
    private static final int BYTES = 2 * Long.BYTES;
    /** The highest first number; each further message of a batch has the next number. */
    private static final long FIRST_MAX = Long.MAX_VALUE - BatchFormat.MESSAGES_MAX;

    private ProducerTag() {}

    /** Returns the tag with these numbers; {@code previous} is 0 if there is none. */
    public static byte[] of(long first, long previous) {
        byte[] tag = new byte[BYTES];
        Encoding.putInt64(tag, 0, first);
        Encoding.putInt64(tag, PREVIOUS, previous);
        return tag;
    }

    /** Returns whether the tag holds two numbers of which the second may come before the first. */
    public static boolean isValid(byte[] tag) {
        if (tag.length != BYTES) {
            return false;
        }
        long first = first(tag);
        long previous = previous(tag);
        return previous >= 0 && previous < first && first <= FIRST_MAX;
    }

    /** Returns the number of the first message. */
    public static long first(byte[] tag) {
        return Encoding.int64(tag, 0);
    }

    /** Returns the number of the message before; 0 = there is none. */
    public static long previous(byte[] tag) {
        return Encoding.int64(tag, PREVIOUS);
    }
}
