package io.ringtable.broker.message;

import java.nio.charset.StandardCharsets;

/**
 * Numbers the keys of messages of an address with parts: all messages of one key go to one part. Messages that are
 * stored rely on it, so the number of a key never changes.
 * <p>
 * Thread: any.
 */
public final class PartKey {
    // FNV-1a of 64 bits.
    private static final long OFFSET = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private PartKey() {}

    /** Returns the number of a group or of a partition key: the same for both if they are the same text. */
    public static long of(String key) {
        return of(MessageGroup.of(key, false).id().getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the number of a duplicate id. */
    public static long of(DuplicateId id) {
        return of(id.bytes());
    }

    private static long of(byte[] bytes) {
        long number = OFFSET;
        for (byte each : bytes) {
            number = (number ^ (each & 0xff)) * PRIME;
        }
        return number;
    }
}
