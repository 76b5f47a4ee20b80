package io.ringtable.broker.amqp.encoding;

import java.util.Arrays;

/**
 * Writes what changes from one delivery of a message to the next into its header: delivery-count and first-acquirer
 * (AMQP 1.0 section 3.2.1). Every other byte stays as it came.
 * <p>
 * Thread: one at a time; one instance per connection.
 */
public final class DeliveryHeader {
    private static final int FIRST_ACQUIRER = 3;
    private static final int DELIVERY_COUNT = 4;
    /** durable, priority and ttl in their longest encodings take 2 + 2 + 5 bytes. */
    private static final int KEPT_MAX = 32;

    private final Sections sections = new Sections();

    /** The message as it goes out: the same array if its header says so already. */
    public byte[] withDeliveryCount(byte[] encoded, int deliveryCount) throws MalformedMessage {
        sections.over(encoded, 0, encoded.length);
        boolean hasHeader = sections.advance() && sections.code == Sections.HEADER;
        if (!hasHeader) {
            return deliveryCount == 0 ? encoded : rewritten(encoded, 0, 0, 0, deliveryCount);
        }
        int kept = sections.first();
        int fields = 0;
        int count = sections.count();
        while (fields < count && fields < FIRST_ACQUIRER) {
            kept = Encoding.skip(encoded, kept, sections.next);
            fields++;
        }
        int position = kept;
        boolean firstAcquirer = false;
        long before = 0;
        for (int i = fields; i < count && i <= DELIVERY_COUNT; i++) {
            if (i == FIRST_ACQUIRER) {
                firstAcquirer = Encoding.isTrue(encoded, position);
            } else {
                before = Encoding.number(encoded, position, sections.next, 0);
            }
            position = Encoding.skip(encoded, position, sections.next);
        }
        if (before == deliveryCount && !(firstAcquirer && deliveryCount > 0)) {
            return encoded;
        }
        return rewritten(encoded, sections.first(), kept, fields, deliveryCount);
    }

    /** A new header of the first {@code fields} (at most 3) as they came, and the two that the broker writes. */
    private byte[] rewritten(byte[] encoded, int keptFrom, int keptTo, int fields, int deliveryCount)
            throws MalformedMessage {
        int rest = keptTo == 0 ? 0 : sections.next;
        int kept = keptTo - keptFrom;
        if (kept > KEPT_MAX) {
            throw new MalformedMessage("durable, priority and ttl take " + kept + " bytes");
        }
        int missing = FIRST_ACQUIRER - fields;
        int listSize = 1 + kept + missing + 1 + 5; // count, the first three, first-acquirer, delivery-count
        byte[] result = new byte[3 + 2 + listSize + encoded.length - rest];
        int at = 0;
        result[at++] = Encoding.DESCRIBED;
        result[at++] = (byte) Encoding.ULONG_SMALL;
        result[at++] = (byte) Sections.HEADER;
        result[at++] = (byte) Encoding.LIST_8;
        result[at++] = (byte) listSize;
        result[at++] = DELIVERY_COUNT + 1;
        System.arraycopy(encoded, keptFrom, result, at, kept);
        at += kept;
        Arrays.fill(result, at, at + missing, (byte) Encoding.NULL);
        at += missing;
        result[at++] = (byte) (deliveryCount == 0 ? Encoding.NULL : Encoding.FALSE);
        result[at++] = (byte) Encoding.UINT;
        Encoding.putInt32(result, at, deliveryCount);
        at += 4;
        System.arraycopy(encoded, rest, result, at, encoded.length - rest);
        return result;
    }
}
