package io.ringtable.broker.shard;

import io.ringtable.broker.job.JobRequest;
import io.ringtable.broker.job.JobRequest.Action;
import io.ringtable.broker.message.Address;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;

/** Jobs over many messages, turn by turn on a real SQLite file. Letters are texts with "|address/subscription". */
abstract class JobsSteps extends SteppedTest {
    static final String DEAD = "DLQ";

    Address dead;
    Address work;
    SteppedJobs stepped;

    @BeforeEach
    final void beginJobs() {
        dead = shard.queue(DEAD);
        work = shard.queue("work");
        stepped = new SteppedJobs(shard);
    }

    /** Publishes letters that died in the queue {@code work}, or in a subscription of {@code origin}. */
    void letters(int from, int to, String origin) {
        for (int i = from; i < to; i++) {
            shard.publish(dead, i + "|" + origin);
            if (i % 500 == 499) {
                shard.run();
            }
        }
        shard.run();
    }

    static JobRequest redrive() {
        return SteppedJobs.request(Action.REDRIVE, DEAD, null);
    }

    static JobRequest limited(JobRequest all, int rate, long max, boolean dryRun) {
        return new JobRequest(
                all.action(),
                all.from(),
                all.subscription(),
                all.to(),
                all.selector(),
                all.reason(),
                all.origin(),
                all.since(),
                all.until(),
                rate,
                max,
                dryRun,
                all.by());
    }

    /** @param since in ms since the epoch, as until */
    static JobRequest between(JobRequest all, long since, long until) {
        return new JobRequest(
                all.action(),
                all.from(),
                all.subscription(),
                all.to(),
                all.selector(),
                all.reason(),
                all.origin(),
                Instant.ofEpochMilli(since),
                Instant.ofEpochMilli(until),
                all.rate(),
                all.max(),
                all.dryRun(),
                all.by());
    }

    long owed(Address address) {
        return shard.entry(shard.reader(address)).owedInRing()
                + shard.entry(shard.reader(address)).owedInBacklog();
    }
}
