package io.ringtable.broker.status;

import java.time.Instant;

/**
 * What a broker is doing, with the reason for people.
 *
 * @param text one sentence; names the other node, the lease, the failure
 * @param failures of this process, in the phases before as well
 */
public record BrokerState(Phase phase, String text, Failures failures) {

    /**
     * How often the shard has failed in this process.
     *
     * @param inARow since it last served for long without failing
     * @param triesMax so many in a row are followed by another try
     * @param total since the broker was made
     * @param last what failed; null if nothing has
     * @param nextTry when it is started anew; null if it is not waiting for that
     */
    public record Failures(int inARow, int triesMax, long total, String last, Instant nextTry) {
        static final Failures NONE = new Failures(0, 0, 0, null, null);
    }

    public BrokerState(Phase phase, String text) {
        this(phase, text, Failures.NONE);
    }

    /** Where it is in its life. */
    public enum Phase {
        /** Opening the store, recovering. */
        STARTING,
        /** Another node owns the shard; this one waits for its lease to end and does not listen. */
        STANDBY,
        /** Owns the shard and serves clients. */
        ACTIVE,
        /** Something failed in this process: the shard is started anew from its tables after a pause. */
        RESTARTING,
        /** Serves nobody until an operator acts, and is not alive as {@code /livez} has it. */
        FAILED,
        STOPPED
    }

    public boolean isActive() {
        return phase == Phase.ACTIVE;
    }
}
