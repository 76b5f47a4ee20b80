package io.ringtable.broker.dispatch;

import io.ringtable.broker.message.Refusal;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** Who only looks. Thread: dispatcher. */
final class Browsers {
    private final ReadBack readBack;
    private final ReadTurns readTurns;
    private final LongSupplier gate;
    private final LongSupplier clockMs;
    private final java.util.function.Consumer<Runnable> onDispatcher;
    private final Turn turn;
    private final UnsettledBytes unsettled;
    private final Map<Consumer, Browser> browsers = new IdentityHashMap<>();

    /**
     * @param gate the ring's, as known here
     * @param clockMs ms since the epoch
     * @param onDispatcher runs what a reader found on the dispatcher's thread
     * @param unsettled what is shown counts until it has been written, and what was read for it before
     */
    Browsers(
            ReadBack readBack,
            ReadTurns readTurns,
            LongSupplier gate,
            LongSupplier clockMs,
            java.util.function.Consumer<Runnable> onDispatcher,
            Turn turn,
            UnsettledBytes unsettled) {
        this.readBack = readBack;
        this.readTurns = readTurns;
        this.gate = gate;
        this.clockMs = clockMs;
        this.onDispatcher = onDispatcher;
        this.turn = turn;
        this.unsettled = unsettled;
    }

    void begin(Consumer consumer, SubscriptionState state) {
        browsers.put(
                consumer,
                new Browser(consumer, state, readBack, readTurns, gate, clockMs, onDispatcher, turn, unsettled));
    }

    void credit(Consumer consumer, long limit, boolean drain) {
        Browser browser = browsers.get(consumer);
        if (browser != null) {
            browser.limit(limit, drain);
        }
    }

    /** What it was shown has been written to it, or never will be. */
    void taken(Consumer consumer, Delivery delivery) {
        Browser browser = browsers.get(consumer);
        if (browser != null) {
            browser.taken(delivery.message().bytes());
        }
    }

    void end(Consumer consumer) {
        Browser browser = browsers.remove(consumer);
        if (browser != null) {
            browser.end();
        }
    }

    /** What they look at is gone. */
    void end(SubscriptionState state, Refusal refusal) {
        for (Browser browser : List.copyOf(browsers.values())) {
            if (browser.state() == state) {
                end(browser.consumer());
                browser.consumer().ended(refusal);
                turn.touch(browser.consumer().mailbox());
            }
        }
    }
}
