package io.ringtable.broker.dispatch.browse;

import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.memory.UnsettledBytes;
import io.ringtable.broker.dispatch.readback.ReadPermits;
import io.ringtable.broker.dispatch.readback.StoreReader;
import io.ringtable.broker.dispatch.subscription.ServiceQueue;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;
import io.ringtable.broker.message.Refusal;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/** Keeps the consumers that only look. Thread: dispatcher. */
public final class Browsers {
    private final StoreReader storeReader;
    private final ReadPermits readPermits;
    private final LongSupplier gate;
    private final LongSupplier clockMs;
    private final Executor dispatcher;
    private final ServiceQueue serviceQueue;
    private final UnsettledBytes unsettled;
    private final Map<Consumer, Browser> browsers = new IdentityHashMap<>();

    /**
     * @param gate the ring's, as known here
     * @param clockMs ms since the epoch
     * @param dispatcher runs what a store reader found on the dispatcher's thread
     * @param unsettled what is shown counts until it has been written, and what was read for it before
     */
    public Browsers(
            StoreReader storeReader,
            ReadPermits readPermits,
            LongSupplier gate,
            LongSupplier clockMs,
            Executor dispatcher,
            ServiceQueue serviceQueue,
            UnsettledBytes unsettled) {
        this.storeReader = storeReader;
        this.readPermits = readPermits;
        this.gate = gate;
        this.clockMs = clockMs;
        this.dispatcher = dispatcher;
        this.serviceQueue = serviceQueue;
        this.unsettled = unsettled;
    }

    public void begin(Consumer consumer, SubscriptionState state) {
        browsers.put(
                consumer,
                new Browser(
                        consumer, state, storeReader, readPermits, gate, clockMs, dispatcher, serviceQueue, unsettled));
    }

    public void credit(Consumer consumer, long limit, boolean drain) {
        Browser browser = browsers.get(consumer);
        if (browser != null) {
            browser.limit(limit, drain);
        }
    }

    /** What it was shown has been written to it, or never will be. */
    public void taken(Consumer consumer, Delivery delivery) {
        Browser browser = browsers.get(consumer);
        if (browser != null) {
            browser.taken(delivery.message().bytes());
        }
    }

    public void end(Consumer consumer) {
        Browser browser = browsers.remove(consumer);
        if (browser != null) {
            browser.end();
        }
    }

    /** What they look at is gone. */
    public void end(SubscriptionState state, Refusal refusal) {
        for (Browser browser : List.copyOf(browsers.values())) {
            if (browser.state() == state) {
                end(browser.consumer());
                browser.consumer().ended(refusal);
                serviceQueue.wakeAtEnd(browser.consumer().mailbox());
            }
        }
    }
}
