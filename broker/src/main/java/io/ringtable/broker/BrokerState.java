package io.ringtable.broker;

/**
 * What a broker is doing, with the reason for people.
 *
 * @param text one sentence; names the other node, the lease, the failure
 */
public record BrokerState(Phase phase, String text) {

    /** Where it is in its life. */
    public enum Phase {
        /** Opening the store, recovering. */
        STARTING,
        /** Another node owns the shard; this one waits for its lease to end and does not listen. */
        STANDBY,
        /** Owns the shard and serves clients. */
        ACTIVE,
        /** Serves nobody until an operator acts. */
        FAILED,
        STOPPED
    }

    public boolean isActive() {
        return phase == Phase.ACTIVE;
    }
}
