package io.ringtable.broker;

import java.time.Duration;

/**
 * How a shard that failed in this process is started anew.
 *
 * @param triesMax failures in a row after which the broker gives up; 0 = it gives up at the first
 * @param delay before the first try; it doubles from failure to failure
 * @param delayMax longest delay between two tries
 * @param resetAfter how long the shard has to serve without failing until failures are counted anew
 */
public record RestartSettings(int triesMax, Duration delay, Duration delayMax, Duration resetAfter) {
    public static final RestartSettings DEFAULTS =
            new RestartSettings(10, Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofMinutes(10));
}
