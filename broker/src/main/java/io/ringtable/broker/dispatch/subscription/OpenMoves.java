package io.ringtable.broker.dispatch.subscription;

/**
 * Counts the messages of a subscription that are on their way to the queue that a policy names. Bounds how many more
 * begin, since each has a letter in memory until its move is durable.
 * <p>
 * Thread: dispatcher.
 */
public final class OpenMoves {
    private static final int MESSAGES_MAX = 1_024;
    private static final long BYTES_MAX = 8L << 20;

    private int messages;
    private long bytes;

    /** Returns whether one more may begin; one of any size may where none is under way. */
    public boolean mayBegin() {
        return messages < MESSAGES_MAX && bytes < BYTES_MAX;
    }

    public void begin(int size) {
        messages++;
        bytes += size;
    }

    public void end(int size) {
        messages--;
        bytes -= size;
    }
}
