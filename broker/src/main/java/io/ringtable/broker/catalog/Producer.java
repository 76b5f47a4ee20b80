package io.ringtable.broker.catalog;

import java.util.Objects;

/**
 * A link's hold on a producer: whoever publishes numbered messages to an address under a name of its own, so that each is stored once
 * however often it is sent.
 * <p>
 * Identity is the object: a later hold of the same producer fences this one. Immutable; thread: any.
 */
public final class Producer {
    /** Longest name of a producer, in UTF-16 characters. */
    public static final int NAME_MAX = 200;

    private final long id;
    private final long incarnation;
    private final long lastNumber;
    private final Runnable fenced;

    /**
     * @param id never reused in its shard
     * @param incarnation which opening of the producer it belongs to, from 1
     * @param lastNumber of the last message that is stored; no other hold can store one any more
     * @param fenced called once, on the committer's thread, when a later hold takes its place; hands over and returns
     */
    public Producer(long id, long incarnation, long lastNumber, Runnable fenced) {
        this.id = id;
        this.incarnation = incarnation;
        this.lastNumber = lastNumber;
        this.fenced = Objects.requireNonNull(fenced, "fenced");
    }

    public long id() {
        return id;
    }

    public long incarnation() {
        return incarnation;
    }

    /** Of the last message that was stored when the link attached; 0 = none. */
    public long lastNumber() {
        return lastNumber;
    }

    /** A later hold has taken its place. */
    public void fence() {
        fenced.run();
    }

    @Override
    public String toString() {
        return "producer " + id;
    }
}
