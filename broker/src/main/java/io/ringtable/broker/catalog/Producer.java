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

    /** Begins the names of the producers that nodes hold for links which they pass on. */
    public static final String RELAY_PREFIX = "$relay:";

    /**
     * Separates the numbers of two transfers of a relay's producer. A transfer is a batch of at most so many messages,
     * and the node that passes it on has not counted them.
     */
    public static final int RELAY_STEP = 4_096;

    /** The code of a refusal since a message before it was refused. */
    public static final String OUT_OF_ORDER = "RT-4107";

    private final long id;
    private final String name;
    private final long incarnation;
    private final long lastNumber;
    private final Runnable fenced;

    /**
     * @param id never reused in its shard
     * @param name as its publisher names it
     * @param incarnation number of the opening of the producer that the hold belongs to, from 1
     * @param lastNumber number of the last stored message; no other hold can store one any more
     * @param fenced called once, on the committer's thread, when a later hold takes the place of this one; hands over
     *     and returns
     */
    public Producer(long id, String name, long incarnation, long lastNumber, Runnable fenced) {
        this.id = id;
        this.name = name;
        this.incarnation = incarnation;
        this.lastNumber = lastNumber;
        this.fenced = Objects.requireNonNull(fenced, "fenced");
    }

    public long id() {
        return id;
    }

    /** Tells whether a node holds it for a link that it passes on. */
    public boolean isOfRelay() {
        return isOfRelay(name);
    }

    /** Tells whether producers of that name are held by nodes. */
    public static boolean isOfRelay(String name) {
        return name.startsWith(RELAY_PREFIX);
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
