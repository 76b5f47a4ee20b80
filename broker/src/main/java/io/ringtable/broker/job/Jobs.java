package io.ringtable.broker.job;

import io.ringtable.broker.agent.Agent;
import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.agent.ThreadOwner;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.work.Mailbox;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the jobs of a shard, all of them on one thread in turns, and keeps those that have ended. Jobs that were running
 * when the shard stopped go on when it starts.
 * <p>
 * Thread: {@code jobs}; any asks. Failure: an exception in one job ends that job, with its reason.
 */
public final class Jobs implements Agent {
    private static final Logger LOG = LoggerFactory.getLogger(Jobs.class);
    private static final int RUNNING_MAX = 8;
    private static final int SURVEYS_MAX = 4;
    private static final int ENDED_KEPT = 100;
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long CLOSE_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final JobDoors doors;
    private final Doorbell doorbell;
    private final JobRecorder recorder;
    private final ThreadOwner owner = new ThreadOwner("the jobs");
    private final Queue<Runnable> commands = new MpscUnboundedAtomicArrayQueue<>(64);
    private final ConcurrentSkipListMap<Long, Job> known =
            new ConcurrentSkipListMap<>(); // written by jobs, read by any
    private final List<JobRun> runs = new ArrayList<>();
    private final List<LetterSurvey> surveys = new ArrayList<>();
    private final Map<Long, List<CompletableFuture<Job>>> waiting = new HashMap<>(); // for the end of a job
    private final List<Job> found; // stored, at the start
    private long lastId;
    private int beginning; // jobs that are being stored before they begin
    private volatile boolean closed; // written by jobs, read by any

    public Jobs(JobDoors doors, JobRecords records, Doorbell doorbell) {
        this.doors = doors;
        this.doorbell = doorbell;
        this.recorder = new JobRecorder(records, this::execute, doors.nanoTime());
        this.lastId = ShardIds.first(doors.home().number());
        this.found = records.all();
        for (Job job : found) {
            known.put(job.id(), job);
            lastId = Math.max(lastId, job.id());
        }
        commands.add(this::goOn);
    }

    // ---- for any thread

    /**
     * Begins a job. The stage completes once the job is stored: from then on it goes on after every restart.
     *
     * @throws Refusal.Refused if the request makes no sense, or names what is not there
     */
    public CompletionStage<Job> begin(JobRequest request) {
        JobPlan plan = JobPlan.of(request, doors);
        CompletableFuture<Job> answer = new CompletableFuture<>();
        execute(() -> begin(request, plan, answer));
        return answer;
    }

    /** Returns the jobs that run, and the last that have ended, by id. */
    public List<Job> all() {
        return List.copyOf(known.values());
    }

    /** @throws Refusal.Refused if there is no such job, or it ended long ago */
    public Job find(long id) {
        Job job = known.get(id);
        if (job == null) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_FOUND,
                    "RT-7127",
                    "there is no job " + id + ": the last " + ENDED_KEPT + " that have ended are kept"));
        }
        return job;
    }

    /**
     * Ends a job; one that has ended stays as it is. The stage completes once nothing of it is on its way, and its end
     * is durable.
     *
     * @throws Refusal.Refused as {@link #find} does
     */
    public CompletionStage<Job> cancel(long id) {
        find(id);
        CompletableFuture<Job> answer = new CompletableFuture<>();
        execute(() -> cancel(id, answer));
        return answer;
    }

    /**
     * Counts the letters of a queue by origin and reason.
     *
     * @param lettersMax how many letters are looked at, those that are next first
     * @param hourly whether those of each hour are counted apart
     * @throws Refusal.Refused if there is no such queue
     */
    public CompletionStage<LetterSurvey.Found> survey(String queue, long lettersMax, boolean hourly) {
        Address address = doors.shard().lookup().find(queue);
        Subscription reader = address == null || !address.isQueue() || address.isTemporary()
                ? null
                : doors.shard().lookup().readerOf(address);
        if (reader == null) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_FOUND,
                    "RT-7128",
                    "there is no queue '" + Printable.value(queue) + "' that could hold dead letters"));
        }
        CompletableFuture<LetterSurvey.Found> answer = new CompletableFuture<>();
        execute(() -> survey(reader, lettersMax, hourly, answer));
        return answer;
    }

    private void execute(Runnable command) {
        commands.add(command);
        if (closed) {
            runCommands(); // nobody else does
        } else {
            doorbell.ring();
        }
    }

    private synchronized int runCommands() {
        int done = 0;
        for (Runnable command; (command = commands.poll()) != null; done++) {
            command.run();
        }
        return done;
    }

    // ---- commands

    private boolean isRefused(CompletableFuture<?> answer) {
        if (closed) {
            answer.completeExceptionally(new Refusal.Refused(stopping()));
        }
        return closed;
    }

    private static Refusal stopping() {
        return new Refusal(
                Refusal.Reason.UNAVAILABLE,
                "RT-7129",
                "the shard is stopping: running jobs go on when it starts again");
    }

    private void begin(JobRequest request, JobPlan plan, CompletableFuture<Job> answer) {
        if (isRefused(answer)) {
            return;
        }
        if (runs.size() + beginning >= RUNNING_MAX) {
            answer.completeExceptionally(new Refusal.Refused(new Refusal(
                    Refusal.Reason.LIMIT,
                    "RT-7130",
                    RUNNING_MAX + " jobs are running, and no more may: wait for one to end, or cancel it")));
            return;
        }
        Job job = Job.begun(++lastId, request, doors.next().getAsLong(), now());
        beginning++;
        recorder.store(job).whenComplete((nothing, failure) -> execute(() -> begun(job, plan, answer, failure)));
    }

    private void begun(Job job, JobPlan plan, CompletableFuture<Job> answer, Throwable failure) {
        beginning--;
        if (isRefused(answer)) {
            return;
        }
        if (failure != null) {
            answer.completeExceptionally(failure);
            return;
        }
        known.put(job.id(), job);
        runs.add(new JobRun(job, plan, doors, doorbell::ring));
        answer.complete(job);
    }

    private void cancel(long id, CompletableFuture<Job> answer) {
        if (isRefused(answer)) {
            return;
        }
        for (JobRun run : runs) {
            if (run.job().id() == id) {
                waiting.computeIfAbsent(id, each -> new ArrayList<>()).add(answer);
                run.cancel();
                return;
            }
        }
        answer.complete(known.get(id));
    }

    private void survey(
            Subscription queue, long lettersMax, boolean hourly, CompletableFuture<LetterSurvey.Found> answer) {
        if (isRefused(answer)) {
            return;
        }
        if (surveys.size() >= SURVEYS_MAX) {
            answer.completeExceptionally(new Refusal.Refused(new Refusal(
                    Refusal.Reason.LIMIT,
                    "RT-7131",
                    SURVEYS_MAX + " passes over dead letters are under way: ask again in a moment")));
            return;
        }
        surveys.add(new LetterSurvey(doors, queue, lettersMax, hourly, new Bell(doorbell), answer));
    }

    /** Stands for the connection of one pass. */
    private record Bell(Doorbell doorbell) implements Mailbox {
        @Override
        public void wake() {
            doorbell.ring();
        }
    }

    // ---- turns

    @Override
    public String roleName() {
        return "jobs";
    }

    @Override
    public int doWork() {
        owner.check();
        int done = runCommands();
        for (Iterator<JobRun> each = runs.iterator(); each.hasNext(); ) {
            JobRun run = each.next();
            done += turn(run);
            if (run.isOver()) {
                each.remove();
                ended(run);
                done++;
            }
        }
        for (LetterSurvey survey : surveys) {
            done += survey.doWork();
        }
        surveys.removeIf(LetterSurvey::isOver);
        return done + recorder.doWork();
    }

    private int turn(JobRun run) {
        int done = 0;
        try {
            done = run.doWork();
        } catch (RuntimeException failure) {
            String why = "RT-7132 job " + run.job().id() + " failed: " + failure;
            LOG.error(why, failure);
            run.fail(why);
        }
        if (!run.job().equals(known.get(run.job().id())) && !run.isHalted()) {
            known.put(run.job().id(), run.job());
            recorder.note(run.job());
        }
        return done;
    }

    private void ended(JobRun run) {
        List<CompletableFuture<Job>> its = waiting.remove(run.job().id());
        if (its != null) {
            recorder.store(run.job())
                    .whenComplete((nothing, failure) -> execute(() -> its.forEach(each -> answer(each, run, failure))));
        }
        forgetOld();
    }

    private static void answer(CompletableFuture<Job> answer, JobRun run, Throwable failure) {
        if (failure == null) {
            answer.complete(run.job());
        } else {
            answer.completeExceptionally(failure);
        }
    }

    private void forgetOld() {
        List<Job> ended =
                known.values().stream().filter(job -> !job.isRunning()).toList();
        for (int i = 0; i < ended.size() - ENDED_KEPT; i++) {
            known.remove(ended.get(i).id());
            recorder.forget(ended.get(i));
        }
    }

    @Override
    public long restNanos() {
        long rest = Agent.super.restNanos();
        for (JobRun run : runs) {
            rest = Math.min(rest, run.restNanos());
        }
        return rest;
    }

    private Instant now() {
        return Instant.ofEpochMilli(doors.clockMs().getAsLong());
    }

    // ---- begin and end of the shard

    /** Goes on with what was running when the shard stopped. */
    private void goOn() {
        for (Job job : found) {
            if (job.isRunning()) {
                goOn(job);
            }
        }
        forgetOld();
    }

    private void goOn(Job stored) {
        if (stored.isLostByRestart()) {
            end(
                    stored,
                    "RT-7133 the broker was stopped while the job ran, and it cannot go on: at least " + stored.done()
                            + " messages are done");
            return;
        }
        Job job = stored.goesOn();
        try {
            runs.add(new JobRun(job, JobPlan.of(job.request(), doors), doors, doorbell::ring));
            known.put(job.id(), job);
            LOG.info("job {} goes on: {}", job.id(), job.request());
        } catch (Refusal.Refused refused) {
            end(job, refused.refusal().toString());
        }
    }

    private void end(Job job, String why) {
        Job failed = job.ended(Job.State.FAILED, now(), why);
        known.put(failed.id(), failed);
        recorder.note(failed);
    }

    /** Lets what is on its way arrive, and stores how the jobs stand, unless that takes long. */
    @Override
    public void onClose() {
        runs.forEach(JobRun::halt);
        surveys.forEach(survey -> survey.fail(stopping()));
        long until = doors.nanoTime().getAsLong() + CLOSE_NANOS;
        while (!haveHalted() && mayWait(until)) {
            LockSupport.parkNanos(CLOSE_LOOK_NANOS);
        }
        runs.forEach(run -> recorder.note(run.job()));
        recorder.hurry();
        while (!isRecorded() && mayWait(until)) {
            LockSupport.parkNanos(CLOSE_LOOK_NANOS);
        }
        closed = true;
        runCommands();
        waiting.values().forEach(each -> each.forEach(this::isRefused));
    }

    /** Waits for nothing once another node may own the shard. */
    private boolean mayWait(long until) {
        return doors.nanoTime().getAsLong() - until < 0
                && !doors.shard().lease().isOver();
    }

    private boolean haveHalted() {
        runCommands();
        runs.forEach(this::turn);
        return runs.stream().allMatch(JobRun::isOver);
    }

    private boolean isRecorded() {
        runCommands();
        recorder.doWork();
        return recorder.isStored();
    }
}
