package io.ringtable.broker.agent;

/**
 * Work that one thread does, in turns. Tests take the turns by hand.
 * <p>
 * Thread: the one that calls {@link #doWork} first owns the agent's state.
 */
public interface Agent {

    /** The name of its thread. */
    String roleName();

    /** Takes one turn. @return how much was done; 0 lets the thread rest until the doorbell rings */
    int doWork();

    /** How long it may rest, in ns, if nobody rings. */
    default long restNanos() {
        return 100_000_000L;
    }

    /** Takes the last turn: on its thread, after which nothing is called. */
    default void onClose() {}
}
