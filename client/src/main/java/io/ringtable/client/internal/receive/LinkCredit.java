package io.ringtable.client.internal.receive;

/**
 * Decides how much link credit to grant. Messages under way, waiting or being handled stay within the
 * prefetch; so do their bytes, by the size that messages have had lately. Thread: the I/O thread.
 * <p>
 * Invariant: {@code credit + outstanding <= prefetch}.
 */
final class LinkCredit {

    /**
     * Stands for the size of a message until some have been seen, so that a first grant cannot flood a small memory.
     */
    private static final double FIRST_BYTES = 64 * 1024;

    private static final double WEIGHT = 1.0 / 16;

    private final int prefetch;
    private final long prefetchBytes;
    private final int portion;
    private int credit;
    private int outstanding;
    private long outstandingBytes;
    private double messageBytes = FIRST_BYTES;

    LinkCredit(int prefetch, long prefetchBytes) {
        this.prefetch = prefetch;
        this.prefetchBytes = prefetchBytes;
        this.portion = Math.max(1, prefetch / 4);
    }

    /** Begins anew on a new link, which has no credit yet. */
    void reset() {
        credit = 0;
        outstanding = 0;
        outstandingBytes = 0;
    }

    void arrived(int bytes) {
        credit--;
        outstanding++;
        outstandingBytes += bytes;
        messageBytes += (bytes - messageBytes) * WEIGHT;
    }

    /** Counts a delivery that used up credit and was aborted. */
    void aborted() {
        credit--;
    }

    void settled(int bytes) {
        outstanding--;
        outstandingBytes -= bytes;
    }

    int outstanding() {
        return outstanding;
    }

    /** Returns how much credit to add now; 0 until the grant is worth a frame. */
    int grant() {
        int room = prefetch - outstanding - credit;
        long bytesLeft = Math.max(0, prefetchBytes - outstandingBytes);
        double fitting = bytesLeft / Math.max(1, messageBytes) - credit;
        int more = (int) Math.min(room, fitting);
        if (more <= 0 && credit == 0 && outstanding == 0) {
            more = 1;
        }
        if (more <= 0 || more < portion && more < credit) {
            return 0;
        }
        credit += more;
        return more;
    }
}
