package io.ringtable.broker.commit;

import io.ringtable.broker.catalog.change.CatalogSettings;
import io.ringtable.broker.deduplication.DeduplicationSettings;
import java.time.Duration;
import java.util.Objects;

/**
 * Bounds of the committer.
 *
 * @param inboxWorks most works that wait for a flush; a power of two, 64 to 1,048,576
 * @param inboxBytesMax most bytes of messages that wait for a flush; at least 1 MiB
 * @param batchMessagesMax most messages in one flush; 1 to 100,000
 * @param batchBytesMax most bytes of messages in one flush; at least 64 KiB
 * @param lingerMicros how long a flush waits at most for company where publishers have more on their way, in µs; 0 to 1,000; 0 = not at
 *     all; those that wait for each outcome are not held up
 * @param settleDelay how long settlements wait for company when nothing else is to be flushed; 0 to 1 s
 * @param catalog of the catalogue
 * @param deduplication of messages that are stored once
 */
public record CommitSettings(
        int inboxWorks,
        long inboxBytesMax,
        int batchMessagesMax,
        int batchBytesMax,
        int lingerMicros,
        Duration settleDelay,
        CatalogSettings catalog,
        DeduplicationSettings deduplication) {

    public static final CommitSettings DEFAULTS = new CommitSettings(
            8_192,
            64L << 20,
            4_000,
            4 << 20,
            1_000,
            Duration.ofMillis(2),
            CatalogSettings.DEFAULTS,
            DeduplicationSettings.DEFAULTS);

    public CommitSettings {
        between("commit.inbox-works", inboxWorks, 64, 1 << 20);
        if (Integer.bitCount(inboxWorks) != 1) {
            throw refused("commit.inbox-works", inboxWorks, "must be a power of two");
        }
        between("commit.inbox-bytes-max", inboxBytesMax, 1 << 20, Long.MAX_VALUE);
        between("commit.batch-messages-max", batchMessagesMax, 1, 100_000);
        between("commit.batch-bytes-max", batchBytesMax, 64 << 10, Integer.MAX_VALUE);
        between("commit.linger-micros", lingerMicros, 0, 1_000);
        between("commit.settle-delay (ms)", settleDelay.toMillis(), 0, 1_000);
        Objects.requireNonNull(catalog, "catalog");
        Objects.requireNonNull(deduplication, "deduplication");
    }

    private static void between(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw refused(name, value, "must be between " + least + " and " + most);
        }
    }

    private static IllegalArgumentException refused(String name, long value, String rule) {
        return new IllegalArgumentException("RT-1004 " + name + "=" + value + " " + rule);
    }
}
