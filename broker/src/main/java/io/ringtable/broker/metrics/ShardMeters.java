package io.ringtable.broker.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import io.micrometer.core.instrument.distribution.ValueAtPercentile;
import io.ringtable.broker.agent.LongestTurn;
import io.ringtable.broker.work.CommitMonitor;
import java.util.concurrent.TimeUnit;

/** Records what the committer of one shard does, as meters. Thread: committer counts, any reads. */
final class ShardMeters implements CommitMonitor {
    private static final double[] PERCENTILES = {0.5, 0.99};

    private final Timer flushTime;
    private final DistributionSummary flushMessages;
    private final DistributionSummary flushSettlements;
    private final DistributionSummary flushBytes;
    private final Timer reclaimTime;
    private final Counter moved;
    private final Counter collected;
    private final Counter settledInInbox;
    private final Timer inboxAge;
    private final Counter duplicates;
    private final LongestTurn committerTurn = new LongestTurn();
    private final LongestTurn dispatcherTurn = new LongestTurn();
    private volatile String trouble; // written by committer, read by health; null = the store takes writes

    /** @param tags tell the shard */
    ShardMeters(MeterRegistry registry, Tags tags) {
        flushTime = timer(BrokerMetric.FLUSH_TIME, tags, registry);
        flushMessages = summary(BrokerMetric.FLUSH_MESSAGES, tags, registry);
        flushSettlements = summary(BrokerMetric.FLUSH_SETTLEMENTS, tags, registry);
        flushBytes = summary(BrokerMetric.FLUSH_BYTES, tags, registry);
        reclaimTime = timer(BrokerMetric.RECLAIM_TIME, tags, registry);
        moved = counter(BrokerMetric.BACKLOG_MOVED, tags, registry);
        collected = counter(BrokerMetric.INBOX_COLLECTED, tags, registry);
        settledInInbox = counter(BrokerMetric.INBOX_SETTLED, tags, registry);
        inboxAge = timer(BrokerMetric.INBOX_AGE, tags, registry);
        duplicates = counter(BrokerMetric.DUPLICATES, tags, registry);
        LongestTurns.register(registry, "committer", tags, committerTurn);
        LongestTurns.register(registry, "dispatcher", tags, dispatcherTurn);
        Gauge.builder(BrokerMetric.STORE_WRITABLE.id(), this, meters -> meters.trouble == null ? 1 : 0)
                .description(BrokerMetric.STORE_WRITABLE.meaning())
                .tags(tags)
                .register(registry);
    }

    private static Counter counter(BrokerMetric metric, Tags tags, MeterRegistry registry) {
        return Counter.builder(metric.id())
                .description(metric.meaning())
                .tags(tags)
                .register(registry);
    }

    private static Timer timer(BrokerMetric metric, Tags tags, MeterRegistry registry) {
        return Timer.builder(metric.id())
                .description(metric.meaning())
                .tags(tags)
                .publishPercentiles(PERCENTILES)
                .register(registry);
    }

    private static DistributionSummary summary(BrokerMetric metric, Tags tags, MeterRegistry registry) {
        return DistributionSummary.builder(metric.id())
                .description(metric.meaning())
                .tags(tags)
                .baseUnit(metric.unit())
                .publishPercentiles(PERCENTILES)
                .register(registry);
    }

    @Override
    public void flushed(int messages, int settlements, long bytes, long nanos) {
        flushTime.record(nanos, TimeUnit.NANOSECONDS);
        flushMessages.record(messages);
        flushSettlements.record(settlements);
        flushBytes.record(bytes);
    }

    @Override
    public void reclaimed(long movedToBacklog, long nanos) {
        reclaimTime.record(nanos, TimeUnit.NANOSECONDS);
        moved.increment(movedToBacklog);
    }

    @Override
    public void collected(int messages, int settlements, long oldestMs) {
        collected.increment(messages);
        settledInInbox.increment(settlements);
        inboxAge.record(oldestMs, TimeUnit.MILLISECONDS);
    }

    @Override
    public void duplicates(int messages) {
        duplicates.increment(messages);
    }

    @Override
    public LongestTurn committerTurn() {
        return committerTurn;
    }

    @Override
    public LongestTurn dispatcherTurn() {
        return dispatcherTurn;
    }

    @Override
    public void storeTrouble(String why) {
        trouble = why;
    }

    /** Reads how long flushes took of late; costs some microseconds. */
    CommitMeters.FlushTimes flushTimes() {
        HistogramSnapshot now = flushTime.takeSnapshot();
        double[] ms = new double[PERCENTILES.length];
        for (ValueAtPercentile value : now.percentileValues()) {
            for (int i = 0; i < PERCENTILES.length; i++) {
                if (value.percentile() == PERCENTILES[i]) {
                    ms[i] = value.value(TimeUnit.MILLISECONDS);
                }
            }
        }
        return new CommitMeters.FlushTimes(ms[0], ms[1], now.max(TimeUnit.MILLISECONDS));
    }

    /** Returns why the store takes no writes; null while it does. */
    String trouble() {
        return trouble;
    }
}
