package io.ringtable.broker.inbox;

import java.time.Duration;

/**
 * How the inbox is looked at.
 *
 * @param probeInterval longest pause between two looks while nothing comes; 0 to 1 s; 0 = never
 */
public record InboxSettings(Duration probeInterval) {
    public static final InboxSettings DEFAULTS = new InboxSettings(Duration.ofMillis(5));

    public InboxSettings {
        if (probeInterval.isNegative() || probeInterval.toMillis() > 1_000) {
            throw new IllegalArgumentException(
                    "RT-1009 inbox.probe-interval=" + probeInterval + " must be between 0 and 1 s");
        }
    }

    public boolean isProbed() {
        return !probeInterval.isZero();
    }
}
