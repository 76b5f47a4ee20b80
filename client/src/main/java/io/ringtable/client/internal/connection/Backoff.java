package io.ringtable.client.internal.connection;

import io.ringtable.client.Reconnect;
import java.util.concurrent.ThreadLocalRandom;

/** Computes growing delays, each spread by up to a quarter so that clients do not come in step. */
record Backoff(Reconnect reconnect) {

    private static final double SPREAD = 0.25;

    long delayMs(int round) {
        double grown = reconnect.firstDelay().toMillis() * Math.pow(reconnect.factor(), round);
        double bounded = Math.min(grown, reconnect.longestDelay().toMillis());
        return Math.max(
                1,
                Math.round(bounded * (1 - SPREAD * ThreadLocalRandom.current().nextDouble())));
    }
}
