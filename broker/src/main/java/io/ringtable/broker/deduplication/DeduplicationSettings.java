package io.ringtable.broker.deduplication;

import java.time.Duration;

/**
 * Bounds of what is known of messages that are stored once.
 *
 * @param duplicateIds last ids of messages that are kept for each address whose publishers give them; 0 to 1,000,000; 0 = none
 * @param producersMax most producers in a shard; 1 to 10,000,000
 * @param producerRetention how long a producer that nobody uses is kept when another one needs its place; not negative
 */
public record DeduplicationSettings(int duplicateIds, int producersMax, Duration producerRetention) {

    public static final DeduplicationSettings DEFAULTS = new DeduplicationSettings(2_000, 10_000, Duration.ofDays(7));

    public DeduplicationSettings {
        between("commit.duplicate-ids", duplicateIds, 0, 1_000_000);
        between("commit.producers-max", producersMax, 1, 10_000_000);
        between("commit.producer-retention (ms)", producerRetention.toMillis(), 0, Long.MAX_VALUE);
    }

    private static void between(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    "RT-1004 " + name + "=" + value + " must be between " + least + " and " + most);
        }
    }
}
