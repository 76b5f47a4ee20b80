package io.ringtable.broker.agent;

/**
 * Does work on one thread, in turns. Tests take the turns by hand.
 * <p>
 * Thread: the first that calls {@link #doWork} owns the agent's state.
 */
public interface Agent {

    /** Returns the name of the agent's thread, which the number of its shard may follow ({@link ThreadNames}). */
    String roleName();

    /** Takes one turn. @return how much was done; 0 lets the thread rest until the doorbell rings */
    int doWork();

    /** Returns how long the agent may rest, in ns, if nobody rings. */
    default long restNanos() {
        return 100_000_000L;
    }

    /** Takes the last turn, on the agent's thread. */
    default void onClose() {}
}
