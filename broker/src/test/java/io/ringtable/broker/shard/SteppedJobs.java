package io.ringtable.broker.shard;

import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.job.Job;
import io.ringtable.broker.job.JobDoors;
import io.ringtable.broker.job.JobRecords;
import io.ringtable.broker.job.JobRequest;
import io.ringtable.broker.job.JobRequest.Action;
import io.ringtable.broker.job.Jobs;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The jobs of a stepped shard, stepped as well. Their records survive crashes of the shard. */
final class SteppedJobs {
    final Map<Long, Job> recorded = new TreeMap<>();
    long nanos;
    Jobs jobs;
    private final SteppedShard shard;

    SteppedJobs(SteppedShard shard) {
        this.shard = shard;
        begin();
    }

    /** As the shard begins, after a crash as well. */
    void begin() {
        SteppedDoors doors = new SteppedDoors(shard);
        jobs = new Jobs(
                new JobDoors(
                        doors,
                        doors,
                        name -> null, // there is no other shard
                        new Texts(() -> false),
                        SteppedShard::selector,
                        () -> shard.state.next(),
                        () -> shard.now,
                        () -> nanos),
                new Records(),
                new Doorbell());
    }

    static JobRequest request(Action action, String from, String to) {
        return new JobRequest(action, from, 0, to, null, null, null, null, null, 0, 0, false, "");
    }

    Job start(JobRequest request) {
        CompletionStage<Job> begun = jobs.begin(request);
        jobs.doWork();
        return begun.toCompletableFuture().join();
    }

    /** One turn of everybody. @return how much was done */
    int turn() {
        return jobs.doWork() + shard.commitTurn() + shard.dispatchTurn() + shard.readTurn();
    }

    /** Turns until nobody has anything to do. */
    void run() {
        for (int idle = 0, turns = 0; idle < 3; turns++) {
            if (turns > 100_000) {
                throw new AssertionError("the jobs do not come to rest: " + jobs.all());
            }
            idle = turn() == 0 ? idle + 1 : 0;
        }
    }

    Job runToEnd(JobRequest request) {
        Job job = start(request);
        run();
        return jobs.find(job.id());
    }

    private final class Records implements JobRecords {
        @Override
        public List<Job> all() {
            return List.copyOf(recorded.values());
        }

        @Override
        public CompletionStage<Void> put(Job job) {
            recorded.put(job.id(), job);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Void> remove(Job job) {
            recorded.remove(job.id());
            return CompletableFuture.completedFuture(null);
        }
    }
}
