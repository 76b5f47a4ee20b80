package io.ringtable.broker.dispatch.policy;

import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.QuotaLimits;
import java.util.Objects;
import java.util.Set;

/**
 * Says whether an address is created, and what becomes of its messages.
 *
 * @param autoCreate the kinds that the broker may create when a client first names the address; empty = none
 * @param defaultKind the kind where the client names none and either is allowed
 * @param deliveriesMax failed deliveries after which a message moves to the dead-letter queue
 * @param deadLetterQueue name of that queue
 * @param expiryQueue name of the queue to which expired messages move; empty = they are discarded
 * @param redeliveryDelayMs how long a message rests after its first failed delivery, in ms; 0 = not at all
 * @param redeliveryDelayMultiplier factor by which each further rest is longer
 * @param redeliveryDelayMaxMs the longest rest, in ms
 * @param exclusive whether one consumer at a time gets everything: the one that attached first
 * @param onceByMessageId whether a message is left out whose message id an earlier one had
 * @param retention how much of a topic is kept; a queue keeps nothing
 * @param quota what may be owed on the address
 * @param affinity name that new addresses share so that they live in the same shard; empty = they are spread
 * @param parts how many shards a new address has a part in, as far as there are that many; 1 = its home alone
 */
public record AddressPolicy(
        Set<AddressKind> autoCreate,
        AddressKind defaultKind,
        int deliveriesMax,
        String deadLetterQueue,
        String expiryQueue,
        long redeliveryDelayMs,
        double redeliveryDelayMultiplier,
        long redeliveryDelayMaxMs,
        boolean exclusive,
        boolean onceByMessageId,
        Retention retention,
        QuotaLimits quota,
        String affinity,
        int parts) {

    private static final Set<AddressKind> ANY = Set.of(AddressKind.values());

    public AddressPolicy {
        autoCreate = Set.copyOf(autoCreate);
        Objects.requireNonNull(defaultKind, "defaultKind");
        Objects.requireNonNull(deadLetterQueue, "deadLetterQueue");
        Objects.requireNonNull(affinity, "affinity");
    }

    /** Makes a policy that keeps nothing, does not look at message ids, and has neither quota, affinity nor parts. */
    public AddressPolicy(
            Set<AddressKind> autoCreate,
            AddressKind defaultKind,
            int deliveriesMax,
            String deadLetterQueue,
            String expiryQueue,
            long redeliveryDelayMs,
            double redeliveryDelayMultiplier,
            long redeliveryDelayMaxMs,
            boolean exclusive) {
        this(
                autoCreate,
                defaultKind,
                deliveriesMax,
                deadLetterQueue,
                expiryQueue,
                redeliveryDelayMs,
                redeliveryDelayMultiplier,
                redeliveryDelayMaxMs,
                exclusive,
                false,
                Retention.NONE,
                QuotaLimits.NONE,
                "",
                1);
    }

    /** Makes a policy that creates either kind, and a queue where the client names none. */
    public AddressPolicy(
            int deliveriesMax,
            String deadLetterQueue,
            String expiryQueue,
            long redeliveryDelayMs,
            double redeliveryDelayMultiplier,
            long redeliveryDelayMaxMs,
            boolean exclusive) {
        this(
                ANY,
                AddressKind.QUEUE,
                deliveriesMax,
                deadLetterQueue,
                expiryQueue,
                redeliveryDelayMs,
                redeliveryDelayMultiplier,
                redeliveryDelayMaxMs,
                exclusive);
    }

    /** Makes a policy without rests, exclusive consumers or an expiry queue. */
    public static AddressPolicy of(int deliveriesMax, String deadLetterQueue) {
        return new AddressPolicy(deliveriesMax, deadLetterQueue, "", 0, 1, 0, false);
    }

    /** Returns the same policy with other retention. */
    public AddressPolicy keeping(Retention other) {
        return new AddressPolicy(
                autoCreate,
                defaultKind,
                deliveriesMax,
                deadLetterQueue,
                expiryQueue,
                redeliveryDelayMs,
                redeliveryDelayMultiplier,
                redeliveryDelayMaxMs,
                exclusive,
                onceByMessageId,
                other,
                quota,
                affinity,
                parts);
    }

    /** Returns the same policy with another dead-letter queue. */
    AddressPolicy dyingIn(String queue) {
        return new AddressPolicy(
                autoCreate,
                defaultKind,
                deliveriesMax,
                queue,
                expiryQueue,
                redeliveryDelayMs,
                redeliveryDelayMultiplier,
                redeliveryDelayMaxMs,
                exclusive,
                onceByMessageId,
                retention,
                quota,
                affinity,
                parts);
    }

    /** Returns the kind to create where the client names none; one of {@link #autoCreate} unless that is empty. */
    AddressKind kindWhereNobodySays() {
        return autoCreate.size() == 1 ? autoCreate.iterator().next() : defaultKind;
    }

    /** Returns how long a message rests after this number of failed deliveries, in ms. */
    public long redeliveryDelayMs(int failures) {
        double delay = redeliveryDelayMs * Math.pow(redeliveryDelayMultiplier, Math.max(0, failures - 1.0));
        return (long) Math.min(delay, Math.max(redeliveryDelayMs, redeliveryDelayMaxMs));
    }
}
