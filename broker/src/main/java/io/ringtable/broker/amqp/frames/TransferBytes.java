package io.ringtable.broker.amqp.frames;

import io.netty.util.concurrent.FastThreadLocal;

/**
 * Lends one array of each event loop to a transfer that arrives in several frames. A batch of messages is copied out of
 * it once, instead of growing through arrays of twice the length. While the array is lent, other transfers have arrays
 * of their own. The garbage collector takes an array that never comes back.
 * <p>
 * Thread: event loops.
 */
public final class TransferBytes {
    /** Bytes of the array: a batch of the client SDK, with its last message. */
    public static final int BYTES = 320 * 1024;

    private static final byte[] LENT = new byte[0];
    private static final FastThreadLocal<byte[]> SPARE = new FastThreadLocal<>();

    private TransferBytes() {}

    /** Returns the spare array if it is free and has room for so many bytes, else a new one of exactly that length. */
    public static byte[] take(int bytes) {
        byte[] spare = SPARE.get();
        if (spare == LENT || bytes > BYTES) {
            return new byte[bytes];
        }
        SPARE.set(LENT);
        return spare == null ? new byte[BYTES] : spare;
    }

    /** Returns whether the array has a spare array's length; any other array of that length counts as well. */
    public static boolean isSpare(byte[] array) {
        return array.length == BYTES;
    }

    /** Takes the array back if it is a spare one; the next transfer overwrites it. */
    public static void giveBack(byte[] array) {
        if (isSpare(array)) {
            SPARE.set(array);
        }
    }
}
