package io.ringtable.broker.commit;

import java.time.Duration;

/**
 * Says how long a flush waits at most for more to share it. Brokers have {@link #USUAL}; tests that step the committer
 * by hand have {@link #NONE}.
 *
 * @param messages longest wait for more messages, where {@link GroupCommitDelay} finds that waiting pays
 * @param settlements longest wait of settlements while nothing else needs a flush
 */
public record FlushDelays(Duration messages, Duration settlements) {
    /**
     * 1 ms is less than a flush takes on most disks, so waiting never costs as much as the flush that it saves (ADR 6).
     * Settlements decide only about redelivery after a crash, and no client waits for them. 2 ms gather a burst.
     */
    public static final FlushDelays USUAL = new FlushDelays(Duration.ofMillis(1), Duration.ofMillis(2));

    public static final FlushDelays NONE = new FlushDelays(Duration.ZERO, Duration.ZERO);
}
