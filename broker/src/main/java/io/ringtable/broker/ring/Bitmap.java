package io.ringtable.broker.ring;

/**
 * Reads and changes one bitmap of the settlement ledger. Bit i (byte i / 8, least significant bit first) says that
 * sequence {@code block * BLOCK + i} is settled. Thread: that of its holder.
 */
public final class Bitmap {
    private Bitmap() {}

    public static byte[] empty() {
        return new byte[RingGeometry.BLOCK_BYTES];
    }

    public static boolean get(byte[] bitmap, long sequence) {
        int index = RingGeometry.indexInBlock(sequence);
        return (bitmap[index >>> 3] >>> (index & 7) & 1) != 0;
    }

    public static void set(byte[] bitmap, long sequence) {
        int index = RingGeometry.indexInBlock(sequence);
        bitmap[index >>> 3] |= (byte) (1 << (index & 7));
    }
}
