package io.ringtable.broker.dispatch.policy;

import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.message.AddressKind;
import java.util.Objects;
import java.util.Set;

/**
 * Says whether an address is created, and what becomes of its messages.
 *
 * @param autoCreate as what it is created when somebody names it; empty = not at all
 * @param defaultKind as what where nobody says; counts where it may be either
 * @param deliveriesMax failed deliveries after which a message moves to the dead-letter queue; 1 to 1,000,000
 * @param deadLetterQueue name of that queue
 * @param expiryQueue name of the queue to which expired messages move; empty = they are discarded
 * @param redeliveryDelayMs how long a message rests after its first failed delivery, in ms; 0 = not at all
 * @param redeliveryDelayMultiplier how much longer after each further one; 1 to 100
 * @param redeliveryDelayMaxMs most, in ms
 * @param exclusive whether one consumer at a time gets everything, the one that has been there longest
 * @param onceByMessageId whether a message that comes with the message id of another is not stored
 * @param retention how much of a topic is kept; a queue keeps nothing
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
        Retention retention) {

    private static final Set<AddressKind> ANY = Set.of(AddressKind.values());

    public AddressPolicy {
        autoCreate = Set.copyOf(autoCreate);
        Objects.requireNonNull(defaultKind, "defaultKind");
        if (deliveriesMax < 1 || deliveriesMax > 1_000_000) {
            throw new IllegalArgumentException(
                    "RT-1005 dispatch.deliveries-max=" + deliveriesMax + " must be between 1 and 1000000");
        }
        if (deadLetterQueue == null || deadLetterQueue.isBlank()) {
            throw new IllegalArgumentException("RT-1005 dispatch.dead-letter-queue is empty: name a queue");
        }
        if (redeliveryDelayMs < 0 || redeliveryDelayMaxMs < 0) {
            throw new IllegalArgumentException("RT-1005 dispatch.redelivery-delay=" + redeliveryDelayMs
                    + "ms and its max=" + redeliveryDelayMaxMs + "ms must not be negative");
        }
        if (!(redeliveryDelayMultiplier >= 1 && redeliveryDelayMultiplier <= 100)) {
            throw new IllegalArgumentException("RT-1005 dispatch.redelivery-delay-multiplier="
                    + redeliveryDelayMultiplier + " must be between 1 and 100");
        }
    }

    /** It keeps nothing, and its messages' own ids mean nothing. */
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
                Retention.NONE);
    }

    /** It is created, as a queue where nobody says. */
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

    /** Nothing rests, nobody is excluded, what has expired is gone. */
    public static AddressPolicy of(int deliveriesMax, String deadLetterQueue) {
        return new AddressPolicy(deliveriesMax, deadLetterQueue, "", 0, 1, 0, false);
    }

    /** The same with other retention. */
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
                other);
    }

    /** The same with another dead-letter queue. */
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
                retention);
    }

    /** As what it is created where nobody says; one of {@link #autoCreate} unless that is empty. */
    AddressKind kindWhereNobodySays() {
        return autoCreate.size() == 1 ? autoCreate.iterator().next() : defaultKind;
    }

    /** How long a message rests after so many failed deliveries, in ms. */
    public long redeliveryDelayMs(int failures) {
        double delay = redeliveryDelayMs * Math.pow(redeliveryDelayMultiplier, Math.max(0, failures - 1.0));
        return (long) Math.min(delay, Math.max(redeliveryDelayMs, redeliveryDelayMaxMs));
    }
}
