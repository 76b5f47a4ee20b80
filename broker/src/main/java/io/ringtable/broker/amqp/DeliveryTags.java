package io.ringtable.broker.amqp;

import io.ringtable.broker.dispatch.Delivery;
import java.nio.charset.StandardCharsets;

/**
 * Names deliveries on a link (AMQP 1.0 section 2.6.12, delivery-tag): {@code epoch.subscription.sequence} in ASCII, which is what
 * {@code ringtable.settle} takes. A volatile subscription's have a number only, as would one with more than the 30 digits
 * that the specification's 32 bytes have room for: 15 of them number half a million messages a second for sixty years.
 * <p>
 * Thread: the connection's event loop.
 */
final class DeliveryTags {
    private static final int BYTES_MAX = 32;
    private static final int DIGITS_MAX = 19;

    private static final byte[] NONE = {};

    private final byte[] digits = new byte[DIGITS_MAX];
    private byte[] prefix = NONE;
    private long prefixEpoch = -1;

    byte[] of(Delivery delivery) {
        return delivery.subscription().isStored()
                ? numbered(prefix(delivery), delivery.sequence())
                : numbered(NONE, delivery.sequence());
    }

    private byte[] prefix(Delivery delivery) {
        if (delivery.epoch() != prefixEpoch) {
            prefixEpoch = delivery.epoch();
            prefix = (prefixEpoch + "." + delivery.subscription().id() + ".").getBytes(StandardCharsets.US_ASCII);
        }
        return prefix;
    }

    private byte[] numbered(byte[] wanted, long number) {
        int from = DIGITS_MAX;
        long rest = number;
        do {
            digits[--from] = (byte) ('0' + rest % 10);
            rest /= 10;
        } while (rest != 0);
        byte[] before = wanted.length + DIGITS_MAX - from <= BYTES_MAX ? wanted : NONE;
        byte[] tag = new byte[before.length + DIGITS_MAX - from];
        System.arraycopy(before, 0, tag, 0, before.length);
        System.arraycopy(digits, from, tag, before.length, DIGITS_MAX - from);
        return tag;
    }
}
