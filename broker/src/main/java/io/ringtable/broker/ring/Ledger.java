package io.ringtable.broker.ring;

import java.util.HashMap;
import java.util.Map;

/**
 * Keeps the settlement ledger of a stretch of sequences in memory: the durable image, and what the open flush adds to
 * it.
 * <p>
 * The durable image changes only in {@link #commit}, so a part that is rolled back leaks nothing into another.
 * <p>
 * Thread: committer.
 */
public final class Ledger {
    private static final int BITS_PER_BLOCK = 64; // keys of neighbouring blocks do not meet: bit < 63

    private final Map<Long, byte[]> durable = new HashMap<>();
    private final Map<Long, byte[]> staged = new HashMap<>();
    private long lastKey = -1; // settlements come in runs of one block and bit
    private byte[] lastStaged;

    /** Receives a row of the ledger, whole. */
    @FunctionalInterface
    public interface RowConsumer {
        void accept(long block, int bit, byte[] settled);
    }

    public void load(long block, int bit, byte[] settled) {
        durable.put(key(block, bit), settled);
    }

    /** @return false if it was settled already, durably or in the open flush */
    public boolean stage(long sequence, int bit) {
        long key = key(RingGeometry.blockOf(sequence), bit);
        if (key != lastKey && !staged.containsKey(key) && isSettled(sequence, bit)) {
            return false; // no row is written for what changes nothing
        }
        byte[] bitmap = stagedBitmap(key);
        if (Bitmap.get(bitmap, sequence)) {
            return false;
        }
        Bitmap.set(bitmap, sequence);
        return true;
    }

    /** Notes, in a ledger that is kept in memory alone, that it is settled. */
    public void mark(long sequence, int bit) {
        Bitmap.set(durable.computeIfAbsent(key(RingGeometry.blockOf(sequence), bit), key -> Bitmap.empty()), sequence);
    }

    private byte[] stagedBitmap(long key) {
        if (key == lastKey) {
            return lastStaged;
        }
        byte[] bitmap = staged.get(key);
        if (bitmap == null) {
            byte[] image = durable.get(key);
            bitmap = image == null ? Bitmap.empty() : image.clone();
            staged.put(key, bitmap);
        }
        lastKey = key;
        lastStaged = bitmap;
        return bitmap;
    }

    /** Tells whether it is settled durably. */
    public boolean isSettled(long sequence, int bit) {
        byte[] image = durable.get(key(RingGeometry.blockOf(sequence), bit));
        return image != null && Bitmap.get(image, sequence);
    }

    public void forEachStaged(RowConsumer consumer) {
        staged.forEach((key, bitmap) -> consumer.accept(key / BITS_PER_BLOCK, (int) (key % BITS_PER_BLOCK), bitmap));
    }

    public boolean hasStaged() {
        return !staged.isEmpty();
    }

    /** Takes the rows of the open flush as durable. */
    public void commit() {
        durable.putAll(staged);
        forgetStaged();
    }

    /** Forgets the open flush, which was rolled back. */
    public void rollBack() {
        forgetStaged();
    }

    private void forgetStaged() {
        staged.clear();
        lastKey = -1;
        lastStaged = null;
    }

    /** Drops the rows of blocks below this one, which are gone. */
    public void dropBelow(long block) {
        durable.keySet().removeIf(key -> key / BITS_PER_BLOCK < block);
    }

    /** Returns the image that counts as durable; null if nothing of the block is settled for the bit. */
    public byte[] image(long block, int bit) {
        return durable.get(key(block, bit));
    }

    private static long key(long block, int bit) {
        return block * BITS_PER_BLOCK + bit;
    }
}
