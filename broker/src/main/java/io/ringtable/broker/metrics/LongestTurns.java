package io.ringtable.broker.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.ringtable.broker.agent.LongestTurn;

/** Registers the longest turn of a kind of thread as a meter. */
final class LongestTurns {
    private LongestTurns() {}

    static void register(MeterRegistry registry, String thread, LongestTurn turn) {
        Gauge.builder(BrokerMetric.TURN_LONGEST.id(), turn, LongestTurn::takeSeconds)
                .description(BrokerMetric.TURN_LONGEST.meaning())
                .baseUnit(BrokerMetric.TURN_LONGEST.unit())
                .tag("thread", thread)
                .register(registry);
    }
}
