package io.ringtable.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Names the deliveries of a link (AMQP 1.0 section 2.6.12, delivery-tag). {@code ringtable.settle} takes these names.
 * <ul>
 *   <li>A tag is {@code epoch.subscription.sequence.code} in ASCII. Each part is a number in digits of base64url, the
 *       highest first; the code has ten of them.
 *   <li>An id of a subscription has its shard in the bits from the 40th on. Other shards than the first would need
 *       eight digits or more for it. Their tags are {@code epoch:subscription.sequence.code}, with a colon. The second
 *       part is the id within the shard, times 1,024, plus the shard.
 *   <li>A delivery that no application can settle in the database has no code. Browsers have such deliveries, and all
 *       links to a store that no application reaches.
 *   <li>A delivery of a volatile subscription has a decimal number only. On a link to a topic with parts, a dot and the
 *       number of the shard may follow. A number is also the tag of a delivery whose parts do not fit into the
 *       specification's 32 bytes. These leave 114 bits for epoch, subscription and sequence.
 * </ul>
 * <p>
 * Thread: one at a time; one instance per link.
 */
public final class DeliveryTags {
    private static final byte[] DIGITS =
            Sections.ascii("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
    private static final int DIGIT_BITS = 6;
    private static final int BYTES_MAX = 32;
    private static final int CODE_DIGITS = 10;
    private static final int NUMBER_DIGITS_MAX = 11; // 64 bits
    private static final int ID_BITS = 40; // of an id within its shard
    private static final int SHARD_BITS = 10; // of the number of a shard

    private final DeliveryCodes codes; // null = the tags have none
    private final byte[] tag = new byte[3 * (NUMBER_DIGITS_MAX + 1) + CODE_DIGITS];
    private int prefix; // bytes of epoch and subscription in the tag, each with its dot
    private long prefixEpoch = -1;
    private long prefixSubscription;

    /** @param codes makes the codes; null = the tags have none */
    public DeliveryTags(DeliveryCodes codes) {
        this.codes = codes;
    }

    /** Returns the tag of a delivery that its link or the database settles. */
    public byte[] of(long epoch, long subscription, long sequence) {
        if (epoch != prefixEpoch || subscription != prefixSubscription) {
            prefixEpoch = epoch;
            prefixSubscription = subscription;
            prefix = putSubscription(putNumber(0, epoch), subscription);
        }
        int end = putNumber(prefix, sequence);
        if (codes != null) {
            end = putDigits(putDot(end), codes.of(epoch, subscription, sequence), CODE_DIGITS);
        }
        return end <= BYTES_MAX ? Arrays.copyOf(tag, end) : numbered(sequence);
    }

    /** Returns the tag of a delivery that only its link settles. */
    public static byte[] numbered(long sequence) {
        return Long.toString(sequence).getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns the tag of such a delivery from another shard than that of the link's address. */
    public static byte[] numbered(long sequence, int shard) {
        return (sequence + "." + shard).getBytes(StandardCharsets.US_ASCII);
    }

    private int putSubscription(int at, long subscription) {
        long shard = subscription >>> ID_BITS;
        if (shard == 0 || shard >>> SHARD_BITS != 0) { // no shard has such a number, and the tag must name one id only
            return putDot(putNumber(putDot(at), subscription));
        }
        tag[at] = ':';
        return putDot(putNumber(at + 1, (subscription & (1L << ID_BITS) - 1) << SHARD_BITS | shard));
    }

    private int putDot(int at) {
        tag[at] = '.';
        return at + 1;
    }

    private int putNumber(int at, long number) {
        int bits = Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(number));
        return putDigits(at, number, (bits + DIGIT_BITS - 1) / DIGIT_BITS);
    }

    private int putDigits(int at, long number, int count) {
        long rest = number;
        for (int i = at + count - 1; i >= at; i--) {
            tag[i] = DIGITS[(int) rest & DIGITS.length - 1];
            rest >>>= DIGIT_BITS;
        }
        return at + count;
    }
}
