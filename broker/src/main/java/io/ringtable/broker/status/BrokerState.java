package io.ringtable.broker.status;

import java.time.Instant;

/**
 * Says what a broker is doing, with the reason for people.
 *
 * @param text one sentence; names the other node, the lease, the failure
 * @param failures of this process, earlier phases included
 */
public record BrokerState(Phase phase, String text, Failures failures) {

    /**
     * Counts the failures of the shard in this process.
     *
     * @param inARow since the shard last served for long without a failure
     * @param triesMax failures in a row after which the broker still tries again
     * @param total since the broker was made
     * @param last the last failure; null if there was none
     * @param nextTry time of the next start; null if the broker does not wait for one
     */
    public record Failures(int inARow, int triesMax, long total, String last, Instant nextTry) {
        static final Failures NONE = new Failures(0, 0, 0, null, null);
    }

    public BrokerState(Phase phase, String text) {
        this(phase, text, Failures.NONE);
    }

    /** Names where the broker is in its life. */
    public enum Phase {
        /** Opens the store and recovers. */
        STARTING,
        /** Waits for the lease of another node that owns the shard, and does not listen. */
        STANDBY,
        /** Owns the shard and serves clients. */
        ACTIVE,
        /** Starts the shard anew from its tables after a pause, since something failed in this process. */
        RESTARTING,
        /** Serves nobody until an operator acts; {@code /livez} reports the broker as not alive. */
        FAILED,
        STOPPED
    }

    public boolean isActive() {
        return phase == Phase.ACTIVE;
    }
}
