package io.ringtable.broker.dispatch.subscription;

/** Counts what the dispatcher did since it began. Thread: dispatcher writes, any reads. */
public final class DispatchCounters {
    private volatile long delivered; // written by dispatcher
    private volatile long redelivered; // written by dispatcher
    private volatile long deadLetters; // written by dispatcher
    private volatile long expired; // written by dispatcher
    private volatile long readBack; // written by dispatcher
    private volatile long consumers; // written by dispatcher

    public long delivered() {
        return delivered;
    }

    public long redelivered() {
        return redelivered;
    }

    public long deadLetters() {
        return deadLetters;
    }

    /** Counts messages that were due for delivery after their time to live; once for each subscription. */
    public long expired() {
        return expired;
    }

    /** Counts messages read back from the store. */
    public long readBack() {
        return readBack;
    }

    /** Counts the consumers that are attached now. */
    public long consumers() {
        return consumers;
    }

    public void delivered(boolean again) {
        delivered = delivered + 1;
        if (again) {
            redelivered = redelivered + 1;
        }
    }

    public void deadLetter() {
        deadLetters = deadLetters + 1;
    }

    public void hasExpired() {
        expired = expired + 1;
    }

    public void readBack(int messages) {
        readBack = readBack + messages;
    }

    public void consumers(int change) {
        consumers = consumers + change;
    }
}
