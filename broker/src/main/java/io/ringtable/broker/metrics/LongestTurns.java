package io.ringtable.broker.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.ringtable.broker.agent.LongestTurn;

/** Registers the longest turn of a kind of thread as a meter. */
final class LongestTurns {
    private LongestTurns() {}

    /** @param shard says whose thread it is */
    static void register(MeterRegistry registry, String thread, Tags shard, LongestTurn turn) {
        Gauge.builder(BrokerMetric.TURN_LONGEST.id(), turn, LongestTurn::takeSeconds)
                .description(BrokerMetric.TURN_LONGEST.meaning())
                .baseUnit(BrokerMetric.TURN_LONGEST.unit())
                .tags(shard)
                .tag("thread", thread)
                .register(registry);
    }
}
