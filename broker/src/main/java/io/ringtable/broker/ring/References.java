package io.ringtable.broker.ring;

import java.util.Arrays;

/**
 * Holds the durable references of the ring, who still owes which message: one entry per slot, in primitive arrays.
 * <p>
 * Thread: committer. Changed only after the commit that made the change durable. The address is held as a number that
 * its holder chooses (the address id). Each slot takes 8 + 8 + 4 + 1 bytes, and 8 more where times are kept.
 */
public final class References {
    private final RingGeometry geometry;
    private final long[] owed; // bits not yet settled
    private final long[] addressId;
    private final int[] bytes;
    private final byte[] group;
    private long[] publishedAt; // null unless somebody asks for times

    public References(RingGeometry geometry) {
        this.geometry = geometry;
        this.owed = new long[geometry.capacity()];
        this.addressId = new long[geometry.capacity()];
        this.bytes = new int[geometry.capacity()];
        this.group = new byte[geometry.capacity()];
    }

    public void claimed(long sequence, long address, int messageGroup, long pending, int messageBytes) {
        int slot = geometry.slotOf(sequence);
        owed[slot] = pending;
        addressId[slot] = address;
        bytes[slot] = messageBytes;
        group[slot] = (byte) messageGroup;
    }

    /** Keeps from now on when messages were published. */
    public void keepTimes() {
        if (publishedAt == null) {
            publishedAt = new long[geometry.capacity()];
        }
    }

    public boolean keepsTimes() {
        return publishedAt != null;
    }

    /** @param at ms since the epoch */
    public void published(long sequence, long at) {
        publishedAt[geometry.slotOf(sequence)] = at;
    }

    /** Returns when it was published, if it was since {@link #keepTimes}; ms since the epoch. */
    public long publishedAt(long sequence) {
        return publishedAt[geometry.slotOf(sequence)];
    }

    /** @return true if that was the last reference */
    public boolean settled(long sequence, long mask) {
        int slot = geometry.slotOf(sequence);
        long before = owed[slot];
        owed[slot] = before & ~mask;
        return before != 0 && owed[slot] == 0;
    }

    public long owed(long sequence) {
        return owed[geometry.slotOf(sequence)];
    }

    public long addressId(long sequence) {
        return addressId[geometry.slotOf(sequence)];
    }

    public int bytes(long sequence) {
        return bytes[geometry.slotOf(sequence)];
    }

    public int group(long sequence) {
        return group[geometry.slotOf(sequence)];
    }

    /** Counts the messages in {@code [from, to)} that somebody owes. */
    public int countOwed(long from, long to) {
        int count = 0;
        for (long sequence = from; sequence < to; sequence++) {
            if (owed[geometry.slotOf(sequence)] != 0) {
                count++;
            }
        }
        return count;
    }

    public void clear() {
        Arrays.fill(owed, 0);
    }
}
