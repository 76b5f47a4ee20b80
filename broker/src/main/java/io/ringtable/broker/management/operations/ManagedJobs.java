package io.ringtable.broker.management.operations;

import io.ringtable.broker.job.Job;
import io.ringtable.broker.job.JobRequest;
import io.ringtable.broker.job.Jobs;
import io.ringtable.broker.job.LetterSurvey;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;

/**
 * Begins and finds the jobs of all shards. A job of an address with parts is one job in each shard that has a part.
 * <p>
 * Thread: any.
 */
public final class ManagedJobs {
    private final int shards;
    private final SortedMap<Integer, Jobs> running;
    private final IntFunction<Refusal> away;

    /**
     * @param shards how many there are
     * @param running jobs of those that run, by number
     * @param away says why one of the others takes nothing
     */
    public ManagedJobs(int shards, Map<Integer, Jobs> running, IntFunction<Refusal> away) {
        this.shards = shards;
        this.running = new TreeMap<>(running);
        this.away = away;
    }

    /**
     * Begins a job in each of these shards. The stage completes when all of them are stored. If one is refused, those
     * that have begun are cancelled.
     *
     * @param requests by the shards of the address whose messages are meant; at least one
     * @return the jobs, in the order of the shards
     */
    CompletionStage<List<Job>> begin(SortedMap<Integer, JobRequest> requests) {
        List<Job> begun = new ArrayList<>();
        CompletionStage<Boolean> all = CompletableFuture.completedFuture(true);
        for (Map.Entry<Integer, JobRequest> each : requests.entrySet()) {
            all = all.thenCompose(before -> in(each.getKey()).begin(each.getValue()))
                    .thenApply(begun::add);
        }
        return all.thenApply(last -> List.copyOf(begun)).whenComplete((jobs, refused) -> {
            if (refused != null) {
                begun.forEach(job -> cancel(job.id()));
            }
        });
    }

    /** Returns the jobs that run, and the last that have ended, by id. */
    List<Job> all() {
        return running.values().stream().flatMap(jobs -> jobs.all().stream()).toList();
    }

    /** @throws Refusal.Refused if there is no such job, or it ended long ago */
    Job find(long id) {
        return of(id).find(id);
    }

    CompletionStage<Job> cancel(long id) {
        return of(id).cancel(id);
    }

    /** Counts the letters of one part of a queue. */
    CompletionStage<LetterSurvey.Found> survey(int home, String queue, long lettersMax, boolean hourly) {
        return in(home).survey(queue, lettersMax, hourly);
    }

    private Jobs in(int shard) {
        Jobs jobs = running.get(shard);
        if (jobs == null) {
            throw new Refusal.Refused(away.apply(shard));
        }
        return jobs;
    }

    private Jobs of(long id) {
        int shard = ShardIds.shardOf(id);
        return in(shard < shards ? shard : 0); // which says that there is no such job
    }
}
