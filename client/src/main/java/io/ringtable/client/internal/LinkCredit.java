package io.ringtable.client.internal;

/**
 * How much link credit to grant: so much that what is under way, waits or is being handled stays within the prefetch,
 * in messages and, by the size they have had lately, in bytes. Thread: the I/O thread.
 * <p>
 * Invariant: {@code credit + outstanding <= prefetch}.
 */
final class LinkCredit {

    /** Assumed until messages have been seen: with it a first grant cannot flood a small memory. */
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

    /** A new link: nothing is granted there yet, nothing has come. */
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

    /** A delivery that used up credit and then came to nothing. */
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

    /** How much to add now; 0 until it is worth a frame. */
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
