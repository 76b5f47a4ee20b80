package io.ringtable.broker.dispatch;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How far one consumer may be served.
 * <p>
 * Thread: dispatcher; only what is unsettled is counted down by the consumer's thread as well.
 */
final class CreditWindow {
    private final Consumer consumer;
    private final SubscriptionState subscription;
    private final long unsettledBytesMax;
    private final AtomicLong unsettledBytes = new AtomicLong();
    private final Map<Long, Delivery> unsettled =
            new ConcurrentHashMap<>(); // by sequence; on their way, or taken by it
    private long limit;
    private long delivered;
    private boolean draining;

    CreditWindow(Consumer consumer, SubscriptionState subscription, long unsettledBytesMax) {
        this.consumer = consumer;
        this.subscription = subscription;
        this.unsettledBytesMax = unsettledBytesMax;
    }

    Consumer consumer() {
        return consumer;
    }

    SubscriptionState subscription() {
        return subscription;
    }

    void limit(long newLimit, boolean drain) {
        limit = newLimit;
        draining = drain;
    }

    boolean hasCredit() {
        return delivered < limit && unsettledBytes.get() < unsettledBytesMax;
    }

    boolean isUsedUp() {
        return delivered >= limit;
    }

    boolean isDraining() {
        return draining;
    }

    void deliver(Delivery delivery) {
        delivered++;
        unsettledBytes.addAndGet(delivery.message().bytes());
        unsettled.put(delivery.sequence(), delivery);
        consumer.deliver(delivery);
    }

    /** The consumer is done with it. @return false if it was already, or it never had it */
    boolean take(Delivery delivery) {
        return unsettled.remove(delivery.sequence(), delivery);
    }

    /** Its bytes are free. @return true if it could take no more before and can now */
    boolean settled(Delivery delivery) {
        int bytes = delivery.message().bytes();
        long now = unsettledBytes.addAndGet(-bytes);
        return now < unsettledBytesMax && now + bytes >= unsettledBytesMax;
    }

    /** Everything that it was given and is not done with, whether it has arrived or not; in order. */
    List<Delivery> unsettled() {
        return unsettled.values().stream()
                .sorted(Comparator.comparingLong(Delivery::sequence))
                .toList();
    }

    /** The unused credit is void. */
    void drained() {
        draining = false;
        consumer.drained(limit);
        delivered = limit;
    }
}
