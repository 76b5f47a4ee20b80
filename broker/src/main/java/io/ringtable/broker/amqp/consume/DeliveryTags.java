package io.ringtable.broker.amqp.consume;

import io.ringtable.broker.amqp.encoding.Sections;
import io.ringtable.broker.dispatch.consumer.Delivery;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Names the deliveries of a link (AMQP 1.0 section 2.6.12, delivery-tag): {@code epoch.subscription.sequence.code} in ASCII, which is
 * what {@code ringtable.settle} takes. Each part is a number in digits of base64url, the highest first, and the code has ten of them.
 * Without a code are the deliveries that nobody settles in the database: those of a browser, and all of a store that no application
 * reaches. Those of a volatile subscription have a number only, as would one whose parts have no room in the specification's 32 bytes:
 * epoch, subscription and sequence have room for 114 bits.
 * <p>
 * Thread: the connection's event loop.
 */
final class DeliveryTags {
    private static final byte[] DIGITS =
            Sections.ascii("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
    private static final int DIGIT_BITS = 6;
    private static final int BYTES_MAX = 32;
    private static final int CODE_DIGITS = 10;
    private static final int NUMBER_DIGITS_MAX = 11; // 64 bits

    private final DeliveryCodes codes; // null = without codes
    private final byte[] tag = new byte[3 * (NUMBER_DIGITS_MAX + 1) + CODE_DIGITS];
    private int prefix; // bytes of tag: these two, each with its dot
    private long prefixEpoch = -1;
    private long prefixSubscription;

    DeliveryTags(DeliveryCodes codes) {
        this.codes = codes;
    }

    public byte[] of(Delivery delivery) {
        return delivery.subscription().isStored()
                ? of(delivery.epoch(), delivery.subscription().id(), delivery.sequence())
                : numbered(delivery.sequence());
    }

    public byte[] of(long epoch, long subscription, long sequence) {
        if (epoch != prefixEpoch || subscription != prefixSubscription) {
            prefixEpoch = epoch;
            prefixSubscription = subscription;
            prefix = putDot(putNumber(putDot(putNumber(0, epoch)), subscription));
        }
        int end = putNumber(prefix, sequence);
        if (codes != null) {
            end = putDigits(putDot(end), codes.of(epoch, subscription, sequence), CODE_DIGITS);
        }
        return end <= BYTES_MAX ? Arrays.copyOf(tag, end) : numbered(sequence);
    }

    private static byte[] numbered(long sequence) {
        return Long.toString(sequence).getBytes(StandardCharsets.US_ASCII);
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
