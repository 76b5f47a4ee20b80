package io.ringtable.broker.dispatch;

/** How many bytes of messages wait in memory. Thread: dispatcher writes, any reads {@link #used}. */
final class MemoryBudget {
    private final long max;
    private volatile long used; // written by dispatcher, read by metrics

    MemoryBudget(long max) {
        this.max = max;
    }

    long max() {
        return max;
    }

    boolean hasRoom() {
        return used < max;
    }

    void take(int bytes) {
        used = used + bytes;
    }

    void give(int bytes) {
        used = used - bytes;
    }

    long used() {
        return used;
    }
}
