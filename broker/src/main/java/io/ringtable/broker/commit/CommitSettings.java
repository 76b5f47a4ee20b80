package io.ringtable.broker.commit;

import io.ringtable.broker.catalog.AddressCreation;
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
 * @param quotaMessages most messages owed on an address that is created without a quota of its own; at least 1
 * @param quotaBytes most bytes owed on such an address; at least 1
 * @param addressesMax most addresses in a shard; at least 1
 * @param temporaryAddressesMax most temporary addresses in a shard; at least 1
 * @param creation which addresses are created when first named
 * @param duplicateIds last ids of messages that are kept for each address whose publishers give them; 0 to 1,000,000; 0 = none
 * @param producersMax most producers in a shard; at least 1
 * @param producerRetention how long a producer that nobody uses is kept when another one needs its place; not negative
 */
public record CommitSettings(
        int inboxWorks,
        long inboxBytesMax,
        int batchMessagesMax,
        int batchBytesMax,
        int lingerMicros,
        Duration settleDelay,
        long quotaMessages,
        long quotaBytes,
        int addressesMax,
        int temporaryAddressesMax,
        AddressCreation creation,
        int duplicateIds,
        int producersMax,
        Duration producerRetention) {

    public static final CommitSettings DEFAULTS = new CommitSettings(
            8_192,
            64L << 20,
            4_000,
            4 << 20,
            1_000,
            Duration.ofMillis(2),
            2_000_000,
            8L << 30,
            100_000,
            10_000,
            AddressCreation.ANY,
            2_000,
            10_000,
            Duration.ofDays(7));

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
        between("commit.quota-messages", quotaMessages, 1, Long.MAX_VALUE);
        between("commit.quota-bytes", quotaBytes, 1, Long.MAX_VALUE);
        between("commit.addresses-max", addressesMax, 1, Integer.MAX_VALUE);
        between("commit.temporary-addresses-max", temporaryAddressesMax, 1, 1_000_000);
        Objects.requireNonNull(creation, "creation");
        between("commit.duplicate-ids", duplicateIds, 0, 1_000_000);
        between("commit.producers-max", producersMax, 1, 10_000_000);
        between("commit.producer-retention (ms)", producerRetention.toMillis(), 0, Long.MAX_VALUE);
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
