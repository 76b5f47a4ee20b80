package io.ringtable.broker.dispatch;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How far one consumer may be served.
 * <p>
 * Thread: dispatcher; only the bytes held unsettled are counted by the consumer's thread as well.
 */
final class CreditWindow {
    private final Consumer consumer;
    private final SubscriptionState subscription;
    private final long unsettledBytesMax;
    private final AtomicLong unsettledBytes = new AtomicLong();
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
        consumer.deliver(delivery);
    }

    /** @return true if it could take no more before and can now */
    boolean settled(Delivery delivery) {
        int bytes = delivery.message().bytes();
        long now = unsettledBytes.addAndGet(-bytes);
        return now < unsettledBytesMax && now + bytes >= unsettledBytesMax;
    }

    /** The unused credit is void. */
    void drained() {
        draining = false;
        consumer.drained(limit);
        delivered = limit;
    }
}
