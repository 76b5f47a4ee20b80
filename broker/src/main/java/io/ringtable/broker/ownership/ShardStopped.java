package io.ringtable.broker.ownership;

/**
 * The shard cannot go on in this process: it ends its agents, and whoever runs the shard decides what comes next.
 * Thrown by agents, on their threads.
 */
public final class ShardStopped extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What comes next. */
    public enum Next {
        /** Another node owns the shard: stand by. */
        STAND_BY,
        /** The tables are not where memory thinks they are: recover from them. */
        RECOVER,
        /** What the tables say contradicts itself, or memory: an operator must look. */
        FAIL
    }

    private final Next next;

    public ShardStopped(Next next, String message, Throwable cause) {
        super(message, cause);
        this.next = next;
    }

    public Next next() {
        return next;
    }
}
