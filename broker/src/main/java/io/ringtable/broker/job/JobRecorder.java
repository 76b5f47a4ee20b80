package io.ringtable.broker.job;

import io.ringtable.broker.message.Refusal;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores how jobs stand, each at most once a second, and how they ended at once. The recorder tries again what the
 * store does not take, unless the shard is stopping.
 * <p>
 * Thread: jobs.
 */
final class JobRecorder {
    private static final Logger LOG = LoggerFactory.getLogger(JobRecorder.class);
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Holds what is to be stored of one job. */
    private static final class Entry {
        private Job job;
        private boolean stored; // or on its way
        private boolean underWay;
        private long notBefore; // nanoTime

        Entry(long notBefore) {
            this.notBefore = notBefore;
        }
    }

    private final JobRecords records;
    private final Executor jobs;
    private final LongSupplier nanoTime;
    private final Map<Long, Entry> entries = new HashMap<>();

    /** @param jobs runs on the thread of the jobs */
    JobRecorder(JobRecords records, Executor jobs, LongSupplier nanoTime) {
        this.records = records;
        this.jobs = jobs;
        this.nanoTime = nanoTime;
    }

    /** Stores a job at once, as somebody waits for it. The stage completes once it is durable. */
    CompletionStage<Void> store(Job job) {
        return records.put(job);
    }

    /** Takes note of how a job stands; the recorder stores it in a later turn. */
    void note(Job job) {
        Entry entry = entries.computeIfAbsent(job.id(), id -> new Entry(nanoTime.getAsLong() + INTERVAL_NANOS));
        entry.job = job;
        entry.stored = false;
        if (!job.isRunning() && !entry.underWay) {
            entry.notBefore = nanoTime.getAsLong();
        }
    }

    /** Stores what is due. @return how much */
    int doWork() {
        int done = 0;
        long now = nanoTime.getAsLong();
        for (Entry entry : entries.values()) {
            if (!entry.stored && !entry.underWay && now - entry.notBefore >= 0) {
                store(entry, now);
                done++;
            }
        }
        return done;
    }

    private void store(Entry entry, long now) {
        entry.stored = true;
        entry.underWay = true;
        entry.notBefore = now + INTERVAL_NANOS;
        records.put(entry.job).whenComplete((nothing, failure) -> jobs.execute(() -> stored(entry, failure)));
    }

    private void stored(Entry entry, Throwable failure) {
        entry.underWay = false;
        if (isOfStopping(failure)) {
            LOG.debug("how job {} stands is not stored any more", entry.job.id(), failure);
        } else if (failure != null) {
            entry.stored = false;
            LOG.warn(
                    "RT-7126 how job {} stands could not be stored, and is tried again: {}",
                    entry.job.id(),
                    failure.getMessage());
        } else if (!entry.job.isRunning()) {
            if (entry.stored) {
                entries.remove(entry.job.id());
            } else {
                entry.notBefore = nanoTime.getAsLong();
            }
        }
    }

    private static boolean isOfStopping(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof Refusal.Refused refused && refused.refusal().reason() == Refusal.Reason.UNAVAILABLE;
    }

    /** Has everything stored in the next turn, however long ago the last time was. */
    void hurry() {
        entries.values().forEach(entry -> entry.notBefore = nanoTime.getAsLong());
    }

    /** Tells whether all that was noted is durable. */
    boolean isStored() {
        return entries.values().stream().allMatch(entry -> entry.stored && !entry.underWay);
    }

    /** Forgets a job for good. */
    void forget(Job job) {
        entries.remove(job.id());
        records.remove(job).whenComplete((nothing, failure) -> {
            if (failure != null) {
                LOG.debug("job {} could not be forgotten, the next start tries again", job.id(), failure);
            }
        });
    }
}
