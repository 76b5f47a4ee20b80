package io.ringtable.broker.setting.policy;

import io.ringtable.broker.config.DispatchProperties.AutoCreate;
import io.ringtable.broker.dispatch.policy.PolicyChange;
import io.ringtable.broker.message.AddressKind;
import java.util.Set;

/**
 * Holds a policy as administrators write it, and as it is stored. A field that is null leaves what the configuration
 * says of the address.
 * <p>
 * Thread: any; immutable.
 *
 * @param autoCreate kinds of address that clients create by naming them: any, queue, topic or none
 * @param defaultKind kind to create where either is allowed and the client does not say
 * @param deliveriesMax failed deliveries after which a message moves to the dead-letter queue; 1 to 1,000,000
 * @param deadLetterQueue name of that queue
 * @param expiryQueue name of the queue for expired messages; empty = they are discarded
 * @param redeliveryDelayMs rest of a message after its first failed delivery, in ms; at most 365 days
 * @param redeliveryDelayMultiplier factor by which each further rest is longer; 1 to 100
 * @param redeliveryDelayMaxMs longest rest, in ms; at most 365 days
 * @param exclusive whether one consumer at a time gets everything
 * @param onceByMessageId whether a message is left out whose message id an earlier one had
 * @param retentionAgeMs how long a topic keeps its messages, in ms; 0 = no bound; 1 second to 36,500 days
 * @param retentionBytes bytes of messages that a topic keeps; 0 = no bound; 1 KB to 1,000 TB
 * @param messagesMax most messages that the address may owe; 1 to 1,000,000,000,000
 * @param bytesMax most bytes that the address may owe; 1 to 1,000 TB
 * @param affinity name that new addresses share so that they live in the same shard; at most 100 characters. A
 *     transaction may have all of them. Empty = they are spread
 * @param parts how many shards a new address has a part in; 1 to the number of shards
 */
public record StoredPolicy(
        AutoCreate autoCreate,
        AddressKind defaultKind,
        Integer deliveriesMax,
        String deadLetterQueue,
        String expiryQueue,
        Long redeliveryDelayMs,
        Double redeliveryDelayMultiplier,
        Long redeliveryDelayMaxMs,
        Boolean exclusive,
        Boolean onceByMessageId,
        Long retentionAgeMs,
        Long retentionBytes,
        Long messagesMax,
        Long bytesMax,
        String affinity,
        Integer parts) {

    /** Says nothing. */
    public static final StoredPolicy NOTHING = new StoredPolicy(
            null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);

    /** Returns the names of the queues to which messages move. */
    public Set<String> destinations() {
        return change().destinations();
    }

    /** Returns what of a policy is different. */
    PolicyChange change() {
        return new PolicyChange(
                autoCreate == null ? null : autoCreate.kinds(),
                defaultKind,
                deliveriesMax,
                deadLetterQueue,
                expiryQueue,
                redeliveryDelayMs,
                redeliveryDelayMultiplier,
                redeliveryDelayMaxMs,
                exclusive,
                onceByMessageId,
                retentionAgeMs,
                retentionBytes,
                messagesMax,
                bytesMax,
                affinity,
                parts);
    }
}
