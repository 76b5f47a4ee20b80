package io.ringtable.broker.dispatch;

import io.ringtable.broker.message.Refusal;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** Who only looks. Thread: dispatcher. */
final class Browsers {
    private final ReadBack readBack;
    private final LongSupplier gate;
    private final LongSupplier clockMs;
    private final java.util.function.Consumer<Runnable> onDispatcher;
    private final Turn turn;
    private final Map<Consumer, Browser> browsers = new IdentityHashMap<>();

    /**
     * @param gate the ring's, as known here
     * @param clockMs ms since the epoch
     * @param onDispatcher runs what a reader found on the dispatcher's thread
     */
    Browsers(
            ReadBack readBack,
            LongSupplier gate,
            LongSupplier clockMs,
            java.util.function.Consumer<Runnable> onDispatcher,
            Turn turn) {
        this.readBack = readBack;
        this.gate = gate;
        this.clockMs = clockMs;
        this.onDispatcher = onDispatcher;
        this.turn = turn;
    }

    void begin(Consumer consumer, SubscriptionState state) {
        browsers.put(consumer, new Browser(consumer, state, readBack, gate, clockMs, onDispatcher, turn));
    }

    void credit(Consumer consumer, long limit, boolean drain) {
        Browser browser = browsers.get(consumer);
        if (browser != null) {
            browser.limit(limit, drain);
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
