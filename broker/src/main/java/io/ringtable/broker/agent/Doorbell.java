package io.ringtable.broker.agent;

import java.util.concurrent.locks.LockSupport;

/**
 * Wakes the thread of an agent that rests.
 * <p>
 * Thread: any rings; one waits. Ringing costs one volatile read while the agent is awake.
 */
public final class Doorbell {
    private volatile Thread resting; // written by the agent's thread, read and cleared by a thread that rings

    public void ring() {
        Thread thread = resting;
        if (thread != null) {
            resting = null;
            LockSupport.unpark(thread);
        }
    }

    /**
     * Announces that the caller is about to rest: from now on its work rings. Callers look once more, then
     * {@link #rest}.
     */
    void announceRest() {
        resting = Thread.currentThread();
    }

    void stayAwake() {
        resting = null;
    }

    void rest(long nanos) {
        if (resting != null) {
            LockSupport.parkNanos(this, nanos);
            resting = null;
        }
    }
}
