package io.ringtable.broker.config;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * Says how messages become durable, and how much an address may hold.
 *
 * @param inboxBytesMax Bytes of messages that may wait for a flush, with one transfer or transaction for each 8 KB.
 * @param batchMessagesMax Most messages in one flush; at most a quarter of the ring.
 * @param batchBytesMax Most bytes of messages in one flush.
 * @param quotaMessages Messages that an address may owe before its publishers are slowed down, unless its policy has
 *     messages-max.
 * @param quotaBytes Bytes that an address may owe before its publishers are slowed down, unless its policy has
 *     bytes-max.
 * @param addressesMax Addresses that the shard may have.
 * @param temporaryAddressesMax Temporary addresses (those of requests and replies) that the shard may have. Each takes
 *     memory, no storage.
 * @param duplicateIds Number of the last ids (_AMQ_DUPL_ID) that the broker keeps for each address whose publishers
 *     give them. A message that comes with one of them again is not stored; 0 = none are kept.
 * @param producersMax Producers (publishers with a producer id) that the shard may have. Each is a row and about 300
 *     bytes of memory.
 * @param producerRetention How long the broker keeps an unused producer once producers-max is reached. After that,
 *     messages that the producer sends again would be stored again.
 */
@Validated
@ConfigurationProperties("ringtable.commit")
public record CommitProperties(
        @DefaultValue("64MB") @Within(min = "1MB", max = "16GB")
        DataSize inboxBytesMax,

        @DefaultValue("4000") @Within(min = "1", max = "100000")
        int batchMessagesMax,

        @DefaultValue("4MB") @Within(min = "64KB", max = "1GB")
        DataSize batchBytesMax,

        @DefaultValue("2000000") @Within(min = "1", max = "1000000000000")
        long quotaMessages,

        @DefaultValue("8GB") @Within(min = "1B", max = "1000TB")
        DataSize quotaBytes,

        @DefaultValue("100000") @Within(min = "1", max = "10000000")
        int addressesMax,

        @DefaultValue("10000") @Within(min = "1", max = "1000000")
        int temporaryAddressesMax,

        @DefaultValue("2000") @Within(min = "0", max = "1000000")
        int duplicateIds,

        @DefaultValue("10000") @Within(min = "1", max = "10000000")
        int producersMax,

        @DefaultValue("7d") @Within(min = "0", max = "3650d")
        Duration producerRetention) {

    private static final long SHARE_LEAST = DataSize.ofMegabytes(1).toBytes();

    /** Returns what one of so many shards gets: what may wait for flushes is for all of them together. */
    public CommitProperties share(int shards) {
        return new CommitProperties(
                DataSize.ofBytes(Math.max(SHARE_LEAST, inboxBytesMax.toBytes() / shards)),
                batchMessagesMax,
                batchBytesMax,
                quotaMessages,
                quotaBytes,
                addressesMax,
                temporaryAddressesMax,
                duplicateIds,
                producersMax,
                producerRetention);
    }
}
