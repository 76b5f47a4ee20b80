package io.ringtable.broker.job;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Stores how jobs stand. Thread: any; no method blocks, and stages complete on the committer's thread. */
public interface JobRecords {

    /** Returns the jobs that are stored, by id. */
    List<Job> all();

    /** Stores a job as it stands now, instead of how it stood before. */
    CompletionStage<Void> put(Job job);

    /** Forgets a job. */
    CompletionStage<Void> remove(Job job);
}
