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

    /** Messages that were to be delivered after their time to live; by subscription. */
    public long expired() {
        return expired;
    }

    /** Messages read back from the store. */
    public long readBack() {
        return readBack;
    }

    /** Consumers attached now. */
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
