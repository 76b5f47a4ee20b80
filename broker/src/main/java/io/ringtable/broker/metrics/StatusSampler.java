package io.ringtable.broker.metrics;

import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.status.ShardStatus;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Samples the broker every few seconds, so that a scrape costs the broker nothing, and derives rates from its counters.
 * The rates and flush times of the last {@value #HISTORY_SECONDS} seconds stay, for a console that is opened late.
 * <p>
 * Thread: {@code sampler} samples; any reads the last samples.
 */
public final class StatusSampler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StatusSampler.class);
    /** Is how many samples {@link #history} has at most, one a second. */
    public static final int HISTORY_SECONDS = 300;

    private static final int RATE_SECONDS = 5;
    private static final int STATUS_SECONDS = 5;

    /** Holds messages per second over the last {@value #RATE_SECONDS} seconds. */
    public record Rates(double in, double out) {
        static final Rates NONE = new Rates(0, 0);
    }

    /**
     * Holds what one second showed.
     *
     * @param flush times of the flushes of the last minutes
     */
    public record Sample(Rates rates, CommitMeters.FlushTimes flush) {}

    private record Count(long nanos, long in, long out, Map<Integer, BrokerStatus.Traffic> shards) {
        Rates since(Count then) {
            return ratesOf(in - then.in, out - then.out, then);
        }

        /** Returns the rates of each shard that runs now and ran then; one that was taken anew begins with 0. */
        Map<Integer, Rates> ofShardsSince(Count then) {
            Map<Integer, Rates> rates = new HashMap<>();
            shards.forEach((number, now) -> {
                BrokerStatus.Traffic before = then.shards.getOrDefault(number, now);
                long delivered = now.delivered() - before.delivered();
                rates.put(number, ratesOf(now.stored() - before.stored(), Math.max(0, delivered), then));
            });
            return rates;
        }

        private Rates ratesOf(long messagesIn, long messagesOut, Count then) {
            double seconds = (nanos - then.nanos) / 1e9;
            return seconds == 0 ? Rates.NONE : new Rates(messagesIn / seconds, messagesOut / seconds);
        }
    }

    private final Supplier<BrokerStatus> broker;
    private final Supplier<List<BrokerStatus.Traffic>> shards;
    private final AmqpCounters counters;
    private final Supplier<CommitMeters.FlushTimes> flushTimes;
    private final Deque<Count> counts = new ArrayDeque<>();
    private final Deque<Sample> history = new ArrayDeque<>(); // guarded by itself
    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "sampler");
        thread.setDaemon(true);
        return thread;
    });
    private volatile BrokerStatus latest; // written by sampler, read by any
    private volatile Rates rates = Rates.NONE; // written by sampler, read by any
    private volatile Map<Integer, Rates> ofShards = Map.of(); // by number; written by sampler, read by any
    // by number, in ns of System.nanoTime; written by sampler, read by any
    private volatile Map<Integer, Long> awaySince = Map.of();

    /** @param shards counts what each running shard has done */
    public StatusSampler(
            Supplier<BrokerStatus> broker,
            Supplier<List<BrokerStatus.Traffic>> shards,
            AmqpCounters counters,
            Supplier<CommitMeters.FlushTimes> flushTimes) {
        this.broker = broker;
        this.shards = shards;
        this.counters = counters;
        this.flushTimes = flushTimes;
        this.latest = broker.get();
    }

    /** Begins to sample. @param onSample hears each sample, on the sampler's thread */
    public void start(Consumer<BrokerStatus> onSample) {
        scheduler.scheduleAtFixedRate(() -> safely(this::count), 0, 1, TimeUnit.SECONDS);
        scheduler.scheduleAtFixedRate(
                () -> safely(() -> {
                    BrokerStatus now = broker.get();
                    lookForAway(now, System.nanoTime());
                    latest = now;
                    onSample.accept(now);
                }),
                0,
                STATUS_SECONDS,
                TimeUnit.SECONDS);
    }

    /** Logs a failure, which would end the schedule if it were thrown. */
    private static void safely(Runnable look) {
        try {
            look.run();
        } catch (RuntimeException | Error e) {
            LOG.warn("the sampler cannot read the broker's status", e);
        }
    }

    private void count() {
        Count now = new Count(
                System.nanoTime(),
                counters.messagesIn.sum(),
                counters.messagesOut.sum(),
                shards.get().stream().collect(Collectors.toMap(BrokerStatus.Traffic::shard, each -> each)));
        counts.addLast(now);
        if (counts.size() > RATE_SECONDS + 1) {
            counts.removeFirst();
        }
        Count then = counts.peekFirst();
        rates = now.since(then);
        ofShards = now.ofShardsSince(then);
        Sample sample = new Sample(rates, flushTimes.get());
        synchronized (history) {
            history.addLast(sample);
            if (history.size() > HISTORY_SECONDS) {
                history.removeFirst();
            }
        }
    }

    /** Notes since when each shard is away of a node that serves others. */
    void lookForAway(BrokerStatus status, long nowNanos) {
        Map<Integer, Long> since = new HashMap<>();
        if (status.state().isActive()) {
            for (ShardStatus shard : status.shards()) {
                if (!shard.isActive() && !shard.isElsewhere() && shard.hasBegun()) {
                    since.put(shard.number(), awaySince.getOrDefault(shard.number(), nowNanos));
                }
            }
        }
        awaySince = Map.copyOf(since);
    }

    /**
     * Returns for how long a shard has been away while this node serves others, in seconds; 0 while it serves the
     * shard, or nobody. The first sample that finds it away counts as its beginning.
     */
    public double awaySeconds(int shard) {
        return awaySeconds(shard, System.nanoTime());
    }

    double awaySeconds(int shard, long nowNanos) {
        Long since = awaySince.get(shard);
        return since == null ? 0 : (nowNanos - since) / 1e9;
    }

    /** Returns the last sample, which is a few seconds old. */
    public BrokerStatus latest() {
        return latest;
    }

    public Rates rates() {
        return rates;
    }

    /** Returns messages that a shard has stored, and delivered, a second; 0 while the shard does not run here. */
    public Rates rates(int shard) {
        return ofShards.getOrDefault(shard, Rates.NONE);
    }

    /** Returns a sample of each of the last seconds, oldest first. */
    public List<Sample> history() {
        synchronized (history) {
            return List.copyOf(history);
        }
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
    }
}
