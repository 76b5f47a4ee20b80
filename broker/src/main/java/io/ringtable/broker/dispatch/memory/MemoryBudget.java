package io.ringtable.broker.dispatch.memory;

/** Counts the bytes of messages that wait in memory. Thread: dispatcher writes, any reads {@link #used}. */
public final class MemoryBudget {
    private final long max;
    private volatile long used; // written by dispatcher, read by metrics

    public MemoryBudget(long max) {
        this.max = max;
    }

    public long max() {
        return max;
    }

    public boolean hasRoom() {
        return used < max;
    }

    public void take(int bytes) {
        used = used + bytes;
    }

    public void give(int bytes) {
        used = used - bytes;
    }

    public long used() {
        return used;
    }
}
