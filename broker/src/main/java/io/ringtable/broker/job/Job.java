package io.ringtable.broker.job;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.time.Instant;

/**
 * Shows a job as it stands. All that is done is durable; each message is done once, however often the broker is killed.
 *
 * @param before sequence from which on messages came after the job began: they are not its affair
 * @param matched messages that were done or failed, or are on their way
 * @param done messages that are where they should be
 * @param failed messages that stay in their place
 * @param resumed whether the broker was stopped meanwhile: the counts then say how many there were at least, since they
 *     are stored once a second
 * @param endedAt null while it runs
 * @param error why it failed, or waits, or the first reason why a message failed; null if all is well
 */
public record Job(
        long id,
        JobRequest request,
        long before,
        State state,
        long matched,
        long done,
        long failed,
        boolean resumed,
        Instant startedAt,
        Instant endedAt,
        String error) {

    /** Tells whether and how a job ended. */
    public enum State {
        RUNNING,
        DONE,
        CANCELLED,
        FAILED
    }

    static Job begun(long id, JobRequest request, long before, Instant now) {
        return new Job(id, request, before, State.RUNNING, 0, 0, 0, false, now, null, null);
    }

    /**
     * Tells whether a restart of the shard leaves it unknown how far the job came. Messages that were taken are not
     * there any more; copies stay beside their originals, and a number of messages may have been passed.
     */
    boolean isLostByRestart() {
        return !request.dryRun() && (!request.takes() || request.max() > 0);
    }

    /** Returns the job as it goes on after a restart; one that only counts begins anew. */
    Job goesOn() {
        long counted = request.dryRun() ? 0 : done;
        return new Job(id, request, before, state, counted, counted, 0, !request.dryRun(), startedAt, null, null);
    }

    Job with(long itsMatched, long itsDone, long itsFailed, String itsError) {
        return new Job(
                id, request, before, state, itsMatched, itsDone, itsFailed, resumed, startedAt, endedAt, itsError);
    }

    Job ended(State how, Instant now, String why) {
        return new Job(id, request, before, how, matched, done, failed, resumed, startedAt, now, why);
    }

    @JsonIgnore
    public boolean isRunning() {
        return state == State.RUNNING;
    }
}
