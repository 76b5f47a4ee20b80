package io.ringtable.broker.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.ringtable.broker.work.CommitMonitor;
import io.ringtable.broker.work.CommitMonitors;
import java.util.ArrayList;
import java.util.List;

/**
 * Records what the committers of a process do, as meters: those of each shard apart. With several shards they have a
 * tag {@code shard}.
 * <p>
 * Thread: committers count, any reads.
 */
public final class CommitMeters implements CommitMonitors {
    private final List<ShardMeters> shards = new ArrayList<>(); // by number

    /** @param count how many shards the process has */
    public CommitMeters(MeterRegistry registry, int count) {
        for (int shard = 0; shard < count; shard++) {
            shards.add(new ShardMeters(registry, ShardTags.of(shard, count)));
        }
    }

    /** Holds times of flushes in ms, over the last minutes; 0 if there was none. */
    public record FlushTimes(double medianMs, double slowestPercentMs, double longestMs) {
        private static final FlushTimes NONE = new FlushTimes(0, 0, 0);

        private FlushTimes orSlower(FlushTimes other) {
            return new FlushTimes(
                    Math.max(medianMs, other.medianMs),
                    Math.max(slowestPercentMs, other.slowestPercentMs),
                    Math.max(longestMs, other.longestMs));
        }
    }

    @Override
    public CommitMonitor ofShard(int shard) {
        return shards.get(shard);
    }

    /** Reads how long flushes of the slowest shard took of late; costs some microseconds for each. */
    public FlushTimes flushTimes() {
        return shards.stream().map(ShardMeters::flushTimes).reduce(FlushTimes.NONE, FlushTimes::orSlower);
    }

    /** Returns why the store takes no writes, of the first shard where it takes none; null while it does. */
    public String trouble() {
        for (int shard = 0; shard < shards.size(); shard++) {
            String why = shards.get(shard).trouble();
            if (why != null) {
                return shards.size() == 1 ? why : "shard " + shard + ": " + why;
            }
        }
        return null;
    }
}
