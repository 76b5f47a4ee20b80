package io.ringtable.broker.dispatch.policy;

import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.QuotaLimits;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Says what of a policy is different. Each part is as in {@link AddressPolicy}; null leaves that of the configuration.
 * <p>
 * Thread: any; immutable.
 *
 * @param expiryQueue empty = expired messages are discarded
 * @param retentionAgeMs age in ms at which a message that a topic keeps goes; 0 = no bound
 * @param retentionBytes most bytes of messages that a topic keeps; 0 = no bound
 * @param messagesMax most messages owed on the address
 * @param bytesMax most bytes owed on the address
 * @param affinity empty = new addresses are spread
 * @param parts how many shards a new queue has a part in
 */
public record PolicyChange(
        Set<AddressKind> autoCreate,
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

    public PolicyChange {
        autoCreate = autoCreate == null ? null : Set.copyOf(autoCreate);
    }

    /** Returns the policy with the change. */
    AddressPolicy of(AddressPolicy policy) {
        Retention kept = policy.retention();
        QuotaLimits quota = policy.quota();
        return new AddressPolicy(
                orElse(autoCreate, policy.autoCreate()),
                orElse(defaultKind, policy.defaultKind()),
                orElse(deliveriesMax, policy.deliveriesMax()),
                orElse(deadLetterQueue, policy.deadLetterQueue()),
                orElse(expiryQueue, policy.expiryQueue()),
                orElse(redeliveryDelayMs, policy.redeliveryDelayMs()),
                orElse(redeliveryDelayMultiplier, policy.redeliveryDelayMultiplier()),
                orElse(redeliveryDelayMaxMs, policy.redeliveryDelayMaxMs()),
                orElse(exclusive, policy.exclusive()),
                orElse(onceByMessageId, policy.onceByMessageId()),
                new Retention(orElse(retentionAgeMs, kept.ageMs()), orElse(retentionBytes, kept.bytesMax())),
                new QuotaLimits(orElse(messagesMax, quota.messagesMax()), orElse(bytesMax, quota.bytesMax())),
                orElse(affinity, policy.affinity()),
                orElse(parts, policy.parts()));
    }

    /** Tells whether the change says something of the quota. */
    boolean limitsQuota() {
        return messagesMax != null || bytesMax != null;
    }

    /** Returns the names of the queues to which messages move. */
    public Set<String> destinations() {
        return Stream.of(orElse(deadLetterQueue, ""), orElse(expiryQueue, ""))
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
    }

    private static <T> T orElse(T value, T other) {
        return value == null ? other : value;
    }
}
