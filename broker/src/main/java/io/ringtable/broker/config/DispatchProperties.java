package io.ringtable.broker.config;

import io.ringtable.broker.message.AddressKind;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * Says how messages reach their consumers, and which policies differ between addresses.
 *
 * @param memoryBytesMax Bytes of bodies that the broker keeps in memory for delivery, for all subscriptions together.
 *     Messages beyond that are read back from the store. Consumers may hold as many bytes again unsettled before each
 *     connection is held to an equal share. Without a value this is an eighth of the heap.
 * @param windowMessagesMax Messages that the broker keeps in memory for one subscription.
 * @param unsettledBytesMax Bytes that one consumer may hold unsettled, however much credit it has. One message is
 *     always let through.
 * @param volatileMessagesMax Messages that may wait in memory for one non-durable topic subscription before the topic's
 *     publishers are slowed down.
 * @param deliveriesMax Number of failed deliveries after which a message moves to the dead-letter queue.
 * @param deadLetterQueue Name of the dead-letter queue.
 * @param expiryQueue Name of the queue for messages whose time to live is over when they are to be delivered. Without a
 *     value they are discarded.
 * @param redeliveryDelay How long a message rests after its first failed delivery. Other messages overtake it
 *     meanwhile.
 * @param redeliveryDelayMultiplier Factor by which the rest grows after each further failure.
 * @param redeliveryDelayMax Longest rest of a message.
 * @param autoCreate Kind of address that the broker may create when a client first names it: any, queue, topic or none.
 * @param defaultKind Kind of address that the broker creates where auto-create is any and the client does not say:
 *     queue or topic.
 * @param addresses Policies for some addresses. The first entry that matches a name counts.
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
        String deadLetterQueue,

        String expiryQueue,

        @DefaultValue("0s") @Within(min = "0s", max = "365d")
        Duration redeliveryDelay,

        @DefaultValue("1") @Within(min = "1", max = "100") double redeliveryDelayMultiplier,

        @DefaultValue("1h") @Within(min = "0s", max = "365d")
        Duration redeliveryDelayMax,

        @DefaultValue("any") AutoCreate autoCreate,
        @DefaultValue("queue") AddressKind defaultKind,
        @DefaultValue List<@Valid Rule> addresses) {

    private static final long SHARE_LEAST = DataSize.ofMegabytes(1).toBytes();

    /** Derives a missing memory bound from the heap. */
    public DispatchProperties {
        memoryBytesMax =
                memoryBytesMax == null ? DataSize.ofBytes(Runtime.getRuntime().maxMemory() / 8) : memoryBytesMax;
    }

    /** Returns what one of so many shards gets: the memory is for all of them together. */
    public DispatchProperties share(int shards) {
        return new DispatchProperties(
                DataSize.ofBytes(Math.max(SHARE_LEAST, memoryBytesMax.toBytes() / shards)),
                windowMessagesMax,
                unsettledBytesMax,
                volatileMessagesMax,
                deliveriesMax,
                deadLetterQueue,
                expiryQueue,
                redeliveryDelay,
                redeliveryDelayMultiplier,
                redeliveryDelayMax,
                autoCreate,
                defaultKind,
                addresses);
    }

    /** Says which kinds of addresses the broker may create when a client first names them. */
    public enum AutoCreate {
        ANY(Set.of(AddressKind.values())),
        QUEUE(Set.of(AddressKind.QUEUE)),
        TOPIC(Set.of(AddressKind.TOPIC)),
        NONE(Set.of());

        private final Set<AddressKind> kinds;

        AutoCreate(Set<AddressKind> kinds) {
            this.kinds = kinds;
        }

        public Set<AddressKind> kinds() {
            return kinds;
        }
    }

    /** Names the id by which the broker stores a message of an address once. */
    public enum DuplicateIdSource {
        /** By the property {@code _AMQ_DUPL_ID}. */
        PROPERTY,
        /** By that or, where a message has none, by its message id. */
        MESSAGE_ID
    }

    /**
     * Holds the policies of the addresses that match; an empty one leaves that of all addresses.
     *
     * @param match Names of addresses, words between dots. * stands for one word, # for any number of words.
     * @param autoCreate Kind of address that the broker may create when a client first names it: any, queue, topic or
     *     none.
     * @param defaultKind Kind of address that the broker creates where auto-create is any and the client does not say:
     *     queue or topic.
     * @param deliveriesMax Number of failed deliveries after which a message moves to the dead-letter queue.
     * @param deadLetterQueue Name of the dead-letter queue.
     * @param expiryQueue Name of the queue to which expired messages move; empty to discard them.
     * @param redeliveryDelay How long a message rests after its first failed delivery.
     * @param redeliveryDelayMultiplier Factor by which the rest grows after each further failure.
     * @param redeliveryDelayMax Longest rest of a message.
     * @param exclusive Whether only one consumer at a time, the longest attached, gets messages.
     * @param duplicateId Id by which a message is stored once: property (_AMQ_DUPL_ID) or, where it has none,
     *     message-id.
     * @param retentionAge How long a topic keeps its messages for durable subscriptions that begin in the past. Queues
     *     keep none.
     * @param retentionBytes How many bytes of messages a topic keeps for them; the oldest go first.
     * @param messagesMax Messages that an address may owe before its publishers are slowed down, in place of
     *     commit.quota-messages.
     * @param bytesMax Bytes that an address may owe before its publishers are slowed down, in place of
     *     commit.quota-bytes.
     * @param affinity Name that new addresses share so that they live in the same shard; at most 100 characters. A
     *     transaction may have all of them. Without a value they are spread over the shards.
     * @param parts In how many shards a new queue or topic has a part, so that it may exceed one shard. Messages of one
     *     group or partition key go to one part, in order. At most ringtable.shards; 1 without a value.
     */
    public record Rule(
            @NotBlank(message = "is empty: name addresses, such as orders.#")
            String match,

            AutoCreate autoCreate,

            AddressKind defaultKind,

            @Within(min = "1", max = "1000000") Integer deliveriesMax,

            @Pattern(
                    regexp = "(?s).*\\S.*",
                    message = "is empty: name a queue, or remove it for that of the other addresses")
            String deadLetterQueue,

            String expiryQueue,

            @Within(min = "0s", max = "365d") Duration redeliveryDelay,

            @Within(min = "1", max = "100") Double redeliveryDelayMultiplier,

            @Within(min = "0s", max = "365d") Duration redeliveryDelayMax,

            @DefaultValue("false") boolean exclusive,
            @DefaultValue("property") DuplicateIdSource duplicateId,

            @Within(min = "1s", max = "36500d") Duration retentionAge,

            @Within(min = "1KB", max = "1000TB") DataSize retentionBytes,

            @Within(min = "1", max = "1000000000000") Long messagesMax,

            @Within(min = "1B", max = "1000TB") DataSize bytesMax,

            @Pattern(
                    regexp = "\\P{Cntrl}{0,100}",
                    message = "is no affinity: write a name of at most 100 characters, or remove it")
            String affinity,

            @Within(min = "1", max = "64") Integer parts) {}
}
