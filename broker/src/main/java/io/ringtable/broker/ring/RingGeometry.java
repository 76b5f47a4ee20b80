package io.ringtable.broker.ring;

/**
 * Holds the fixed measures of a ring and the arithmetic that follows from them.
 * <p>
 * {@code slot = sequence mod capacity}, {@code lap = sequence / capacity}, {@code block = sequence / BLOCK}: always,
 * in Java and in every engine's SQL.
 *
 * @param capacity number of slots; a multiple of {@link #CAPACITY_STEP}, from {@link #CAPACITY_STEP} to
 *     {@link #CAPACITY_MAX}
 */
public record RingGeometry(int capacity) {
    /** Number of neighbouring sequences that share one ledger row per bit: 1,024 bits make a bitmap of 128 bytes. */
    public static final int BLOCK = 1024;

    /** Bytes of one ledger bitmap: {@code BLOCK / 8}. */
    public static final int BLOCK_BYTES = BLOCK / 8;

    /** Number of parts of a ring that an engine may empty as a whole; a portion of reclaim is at most one of them. */
    public static final int SEGMENTS = 8;

    /** A capacity is a whole number of blocks in each segment: 8 x 1,024. */
    public static final int CAPACITY_STEP = SEGMENTS * BLOCK;

    /** 16,777,216 slots: the committer keeps 20 bytes of memory per slot. */
    public static final int CAPACITY_MAX = 1 << 24;

    /** Bits of one group of subscriptions: a BIGINT without its sign. */
    public static final int BITS = 63;

    public RingGeometry {
        if (capacity < CAPACITY_STEP || capacity > CAPACITY_MAX || capacity % CAPACITY_STEP != 0) {
            throw new IllegalArgumentException("RT-1003 ringtable.ring.capacity=" + capacity + " is not a multiple of "
                    + CAPACITY_STEP + " between " + CAPACITY_STEP + " and " + CAPACITY_MAX);
        }
    }

    public int slotOf(long sequence) {
        return (int) (sequence % capacity);
    }

    public long lapOf(long sequence) {
        return sequence / capacity;
    }

    /** Returns the slots per segment: {@code capacity / SEGMENTS}, a multiple of {@link #BLOCK}. */
    public int segmentSize() {
        return capacity / SEGMENTS;
    }

    public static long blockOf(long sequence) {
        return sequence / BLOCK;
    }

    public static int indexInBlock(long sequence) {
        return (int) (sequence % BLOCK);
    }

    public static long firstOfBlock(long block) {
        return block * BLOCK;
    }
}
