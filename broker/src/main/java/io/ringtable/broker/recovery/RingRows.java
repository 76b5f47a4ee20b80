package io.ringtable.broker.recovery;

import io.ringtable.broker.store.RingRow;
import io.ringtable.broker.store.StoredMessage;
import java.util.Arrays;

/**
 * Holds the rows of the ring from their read until their judgement, which needs the catalogue that the store returns
 * last. A row takes 56 bytes, without an object per message.
 * <p>
 * Thread: the housekeeper, during recovery.
 */
final class RingRows {
    private int size;
    private long[] sequence = new long[1024];
    private long[] addressId = new long[1024];
    private long[] pending = new long[1024];
    private int[] bytes = new int[1024];
    private int[] group = new int[1024];
    private int[] references = new int[1024];
    private boolean[] bodyComplete = new boolean[1024];
    private byte[] priority = new byte[1024];
    private long[] deliverAt = new long[1024];
    private long[] publishedAt = new long[1024];

    void add(RingRow row) {
        if (size == sequence.length) {
            grow();
        }
        StoredMessage message = row.message();
        sequence[size] = message.sequence();
        addressId[size] = message.addressId();
        pending[size] = message.pending();
        bytes[size] = message.bodyBytes();
        group[size] = message.group();
        references[size] = row.referenceCount();
        bodyComplete[size] = row.bodyComplete();
        priority[size] = (byte) message.priority();
        deliverAt[size] = message.deliverAt();
        publishedAt[size] = message.publishedAt();
        size++;
    }

    private void grow() {
        int larger = size + size / 2;
        sequence = Arrays.copyOf(sequence, larger);
        addressId = Arrays.copyOf(addressId, larger);
        pending = Arrays.copyOf(pending, larger);
        bytes = Arrays.copyOf(bytes, larger);
        group = Arrays.copyOf(group, larger);
        references = Arrays.copyOf(references, larger);
        bodyComplete = Arrays.copyOf(bodyComplete, larger);
        priority = Arrays.copyOf(priority, larger);
        deliverAt = Arrays.copyOf(deliverAt, larger);
        publishedAt = Arrays.copyOf(publishedAt, larger);
    }

    int size() {
        return size;
    }

    long sequence(int row) {
        return sequence[row];
    }

    long addressId(int row) {
        return addressId[row];
    }

    long pending(int row) {
        return pending[row];
    }

    int bytes(int row) {
        return bytes[row];
    }

    int group(int row) {
        return group[row];
    }

    /** Answers whether the row's count is the number of its bits, and at least one subscription owed it at publish. */
    boolean isCounted(int row) {
        return pending[row] > 0 && references[row] == Long.bitCount(pending[row]) && group[row] >= 0;
    }

    boolean isBodyComplete(int row) {
        return bodyComplete[row];
    }

    int priority(int row) {
        return priority[row];
    }

    long deliverAt(int row) {
        return deliverAt[row];
    }

    long publishedAt(int row) {
        return publishedAt[row];
    }
}
