package io.ringtable.broker.ownership;

/**
 * Ends the agents of a shard that cannot go on in this process; the housekeeper decides what comes next. Agents throw
 * this on their threads.
 */
public final class ShardStopped extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Says what comes next. */
    public enum Next {
        /** Stands by: another node owns the shard. */
        STAND_BY,
        /** Recovers from the tables: they are not where memory thinks they are. */
        RECOVER,
        /** Waits for an operator: the tables contradict themselves, or memory. */
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
