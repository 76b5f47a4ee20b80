package io.ringtable.broker.config;

import jakarta.validation.constraints.NotBlank;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * How messages reach their consumers.
 *
 * @param memoryBytesMax Bodies kept in memory for delivery, all subscriptions together; what does not fit is read back from the store. Without a value an eighth of the heap.
 * @param windowMessagesMax Messages kept in memory for one subscription.
 * @param unsettledBytesMax Bytes that one consumer may hold unsettled, whatever its credit; one message is always let through.
 * @param volatileMessagesMax Messages that wait in memory for one non-durable topic subscription before the topic's publishers are slowed down.
 * @param deliveriesMax Failed deliveries after which a message moves to the dead-letter queue.
 * @param deadLetterQueue Name of the dead-letter queue.
 */
@Validated
@ConfigurationProperties("ringtable.dispatch")
public record DispatchProperties(
        @Within(min = "1MB", max = "1TB") DataSize memoryBytesMax,

        @DefaultValue("100000") @Within(min = "16", max = "1000000")
        int windowMessagesMax,

        @DefaultValue("16MB") @Within(min = "64KB", max = "1TB")
        DataSize unsettledBytesMax,

        @DefaultValue("20000") @Within(min = "16", max = "1000000")
        int volatileMessagesMax,

        @DefaultValue("10") @Within(min = "1", max = "1000000")
        int deliveriesMax,

        @DefaultValue("DLQ") @NotBlank(message = "is empty: name a queue")
        String deadLetterQueue) {}
