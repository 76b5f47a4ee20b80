package io.ringtable.broker.catalog;

import java.util.Objects;

/**
 * Holds a producer for a link. The producer numbers its messages to an address, so each is stored once however often it
 * is sent.
 * <p>
 * Identity is the object: a later hold of the same producer fences this one. Immutable; thread: any.
 */
public final class Producer {
    /** Limits the name of a producer, in UTF-16 characters. */
    public static final int NAME_MAX = 200;

    private final long id;
    private final long incarnation;
    private final long lastNumber;
    private final Runnable fenced;

    /**
     * @param id never reused in its shard
     * @param incarnation number of the opening of the producer that the hold belongs to, from 1
     * @param lastNumber number of the last stored message; no other hold can store one any more
     * @param fenced called once, on the committer's thread, when a later hold takes the place of this one; hands over
     *     and returns
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

    /** Returns the number of the last message that was stored when the link attached; 0 = none. */
    public long lastNumber() {
        return lastNumber;
    }

    /** Tells the link that a later hold has taken its place. */
    public void fence() {
        fenced.run();
    }

    @Override
    public String toString() {
        return "producer " + id;
    }
}
