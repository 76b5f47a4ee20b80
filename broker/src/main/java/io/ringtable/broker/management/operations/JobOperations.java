package io.ringtable.broker.management.operations;

import io.ringtable.broker.access.Permission;
import io.ringtable.broker.access.Role;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.job.Job;
import io.ringtable.broker.job.JobRequest;
import io.ringtable.broker.job.LetterSurvey;
import io.ringtable.broker.management.Call;
import io.ringtable.broker.management.Listing;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementRefused;
import io.ringtable.broker.management.NodeListing;
import io.ringtable.broker.management.Operation;
import io.ringtable.broker.management.QueryParameter.Type;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Begins, lists, shows and cancels jobs over many messages, and counts dead letters. Thread: any. */
public final class JobOperations {
    /** Stands for all addresses where a permission is asked for: letters may have come from any. */
    private static final String EVERY_ADDRESS = "#";

    private static final String SINCE = "since";
    private static final String UNTIL = "until";

    private static final List<Integer> FIRST = List.of(0);
    private static final long LETTERS_USUAL = 100_000;
    private static final long LETTERS_MAX = 1_000_000;

    private final Supplier<ManagedShard> shard;

    /** @param shard refuses the call while this node does not own the shard */
    public JobOperations(Supplier<ManagedShard> shard) {
        this.shard = shard;
    }

    /**
     * Says what a new job does, as {@link JobRequest} does.
     *
     * @param action redrive, move, copy or delete
     * @param from name of the address
     */
    public record NewJob(
            String action,
            String from,
            Long subscription,
            String to,
            String selector,
            String reason,
            String origin,
            Instant since,
            Instant until,
            Integer rate,
            Long max,
            Boolean dryRun) {}

    /**
     * Shows a job, as {@link Job} does.
     *
     * @param by user who began it; empty if there are no users
     * @param together ids of all jobs that the request began, where the address has parts; else null
     */
    public record JobView(
            long id,
            String action,
            String from,
            Long subscription,
            String to,
            String selector,
            String reason,
            String origin,
            Instant since,
            Instant until,
            Integer rate,
            Long max,
            boolean dryRun,
            Job.State state,
            long matched,
            long done,
            long failed,
            boolean resumed,
            Instant startedAt,
            Instant endedAt,
            String by,
            String error,
            List<Long> together) {

        static JobView of(Job job) {
            return of(job, List.of(job.id()));
        }

        /** @param together ids of the jobs that began with it, one for each part of the address */
        static JobView of(Job job, List<Long> together) {
            JobRequest request = job.request();
            return new JobView(
                    job.id(),
                    request.action().name().toLowerCase(Locale.ROOT),
                    request.from(),
                    request.subscription() == 0 ? null : request.subscription(),
                    request.to(),
                    request.selector(),
                    request.reason(),
                    request.origin(),
                    request.since(),
                    request.until(),
                    request.rate() == 0 ? null : request.rate(),
                    request.max() == 0 ? null : request.max(),
                    request.dryRun(),
                    job.state(),
                    job.matched(),
                    job.done(),
                    job.failed(),
                    job.resumed(),
                    job.startedAt(),
                    job.endedAt(),
                    request.by(),
                    job.error(),
                    together.size() == 1 ? null : together);
        }
    }

    /**
     * Counts the letters of dead-letter and expiry queues.
     *
     * @param letters how many were looked at
     * @param complete false if there are more letters than were looked at, or more groups than are kept apart. Also
     *     if a node did not answer
     * @param silent nodes that did not answer, each with the reason; null if all did
     */
    public record DeadLetters(
            List<LetterSurvey.LetterGroup> groups, long letters, boolean complete, List<String> silent) {
        DeadLetters(List<LetterSurvey.LetterGroup> groups, long letters, boolean complete) {
            this(groups, letters, complete, null);
        }
    }

    public List<Operation> operations() {
        Places places = new Places(shard);
        return List.of(
                Operation.post("/jobs", "Begins a job over many messages of a queue or a subscription.")
                        .needs(Role.OPERATOR, Permission.MANAGE)
                        .takes(NewJob.class)
                        .answers(ManagementAnswer.ACCEPTED, JobView.class)
                        .at(call -> places(places, call), JobShares::begun)
                        .asks(this::begin),
                Operation.get("/jobs", "Lists the jobs that run and the last that have ended, oldest first.")
                        .needs(Role.VIEWER)
                        .query(
                                Call.FILTER,
                                Type.TEXT,
                                "Text that the name of an address, or of who began it, contains, whatever the case.")
                        .query("state", Type.TEXT, "running, done, cancelled or failed; all unless given.")
                        .lists(JobView.class)
                        .at(places::all, NodeListing.byId())
                        .does(this::list),
                Operation.get("/jobs/{id}", "Shows a job.")
                        .needs(Role.VIEWER, Permission.MANAGE)
                        .answers(JobView.class)
                        .at(Places::ofId)
                        .does(call -> JobView.of(managed(shard.get().jobs(), call))),
                Operation.delete("/jobs/{id}", "Cancels a job: messages that are on their way still arrive.")
                        .needs(Role.OPERATOR, Permission.MANAGE)
                        .answers(JobView.class)
                        .at(Places::ofId)
                        .asks(this::cancel),
                Operation.post("/addresses/{address}/purge", "Deletes what a queue holds now, by a job.")
                        .needs(Role.OPERATOR, Permission.MANAGE, "address")
                        .query(SINCE, Type.TIME, "Earliest time of publishing.")
                        .query(UNTIL, Type.TIME, "Latest time of publishing.")
                        .answers(ManagementAnswer.ACCEPTED, JobView.class)
                        .at(places::ofPath, JobShares::begun)
                        .asks(this::purgeAddress),
                Operation.post("/subscriptions/{id}/purge", "Deletes what a subscription is owed now, by a job.")
                        .needs(Role.OPERATOR, Permission.MANAGE)
                        .query(SINCE, Type.TIME, "Earliest time of publishing.")
                        .query(UNTIL, Type.TIME, "Latest time of publishing.")
                        .answers(ManagementAnswer.ACCEPTED, JobView.class)
                        .at(Places::ofId)
                        .asks(this::purgeSubscription),
                Operation.get("/deadletters", "Counts dead letters and expired messages by queue, origin and reason.")
                        .needs(Role.VIEWER)
                        .query("queue", Type.TEXT, "Name of the queue; all that policies name unless given.")
                        .query("hourly", Type.FLAG, "Whether those of each hour are counted apart, the newest first.")
                        .query(
                                "max",
                                Type.NUMBER,
                                "Most letters that are looked at, 1 to " + LETTERS_MAX + "; " + LETTERS_USUAL
                                        + " unless given.")
                        .answers(DeadLetters.class)
                        .at(places.ofParameter("queue"), JobShares::counted)
                        .asks(this::deadLetters));
    }

    /** Returns the shards of the messages that a new job is about. */
    private static Set<Integer> places(Places places, Call call) {
        NewJob asked = call.body(NewJob.class);
        if (asked.from() == null) {
            return Set.of();
        }
        return asked.subscription() == null ? places.of(asked.from()) : Set.of(ShardIds.shardOf(asked.subscription()));
    }

    private CompletionStage<ManagementAnswer> begin(Call call) {
        NewJob asked = call.body(NewJob.class);
        if (asked.from() == null) {
            throw ManagementRefused.badRequest("RT-7140", "the body does not say whose messages are meant: from");
        }
        call.requires(Permission.MANAGE, asked.from());
        JobRequest.Action action = action(asked.action());
        if (asked.to() != null) {
            call.requires(Permission.SEND, asked.to());
        } else if (action == JobRequest.Action.REDRIVE) {
            call.requires(Permission.SEND, asked.origin() == null ? EVERY_ADDRESS : asked.origin());
        }
        JobRequest request = new JobRequest(
                action,
                asked.from(),
                asked.subscription() == null ? 0 : asked.subscription(),
                asked.to(),
                asked.selector(),
                asked.reason(),
                asked.origin(),
                asked.since(),
                asked.until(),
                asked.rate() == null ? 0 : asked.rate(),
                asked.max() == null ? 0 : asked.max(),
                Boolean.TRUE.equals(asked.dryRun()),
                call.caller().identity().name());
        return begin(call, request);
    }

    private CompletionStage<ManagementAnswer> begin(Call call, JobRequest request) {
        ManagedShard now = shard.get().coveredBy(call);
        if (request.to() != null && now.doors().moveOf(request.to()) != null) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.IN_USE,
                    "RT-4634",
                    "'" + request.to() + "' moves to another shard: begin the job once it is there"));
        }
        return now.jobs()
                .begin(requests(now, request))
                .thenApply(jobs -> ManagementAnswer.begun(
                        JobView.of(jobs.get(0), jobs.stream().map(Job::id).toList())));
    }

    /** Returns what each shard is asked for. A subscription of a topic with parts has an id of its own in each. */
    private static SortedMap<Integer, JobRequest> requests(ManagedShard now, JobRequest request) {
        SortedMap<Integer, JobRequest> all = new TreeMap<>();
        long id = request.subscription();
        if (id == 0) {
            homes(now, request.from()).forEach(home -> all.put(home, request));
            return all;
        }
        for (Subscription part : SubscriptionOperations.parts(now, request.from(), id)) {
            all.put(ShardIds.shardOf(part.id()), request.of(part.id()));
        }
        if (all.isEmpty()) {
            all.put(homes(now, request.from()).get(0), request); // which says that there is no such subscription
        }
        return all;
    }

    private CompletionStage<ManagementAnswer> purgeAddress(Call call) {
        return begin(call, all(call.path("address"), 0, call));
    }

    private CompletionStage<ManagementAnswer> purgeSubscription(Call call) {
        Subscription subscription =
                SubscriptionOperations.managed(shard.get(), call).subscription();
        Address address = subscription.address();
        return begin(call, all(address.name(), address.isQueue() ? 0 : subscription.id(), call));
    }

    /** Deletes what is owed when the job begins, of the time that the call names. @param subscription 0 of a queue */
    private static JobRequest all(String address, long subscription, Call call) {
        return new JobRequest(
                JobRequest.Action.DELETE,
                address,
                subscription,
                null,
                null,
                null,
                null,
                call.time(SINCE),
                call.time(UNTIL),
                0,
                0,
                false,
                call.caller().identity().name());
    }

    private static JobRequest.Action action(String text) {
        for (JobRequest.Action action : JobRequest.Action.values()) {
            if (action.name().equalsIgnoreCase(text)) {
                return action;
            }
        }
        throw ManagementRefused.badRequest(
                "RT-7141", "action='" + Printable.value(text) + "': write redrive, move, copy or delete");
    }

    private Listing<JobView> list(Call call) {
        Predicate<String> filter = call.filter();
        Job.State state = state(call.text("state"));
        Stream<Job> jobs = shard.get().jobs().all().stream()
                .filter(job -> state == null || job.state() == state)
                .filter(job -> names(job.request()).anyMatch(filter));
        return call.page().ofNumbered(jobs, Job::id, JobView::of);
    }

    private static Stream<String> names(JobRequest request) {
        return Stream.of(request.from(), request.to() == null ? "" : request.to(), request.by());
    }

    /** Returns null if none is wanted. */
    private static Job.State state(String text) {
        for (Job.State state : Job.State.values()) {
            if (state.name().equalsIgnoreCase(text)) {
                return state;
            }
        }
        if (text != null) {
            throw ManagementRefused.badRequest(
                    "RT-7744",
                    "state='" + Printable.value(text) + "': write running, done, cancelled or failed, or leave it out");
        }
        return null;
    }

    /** Finds the job of the path, for a caller who may manage the address that its messages are from. */
    private static Job managed(ManagedJobs jobs, Call call) {
        Job job = jobs.find(call.pathNumber("id"));
        call.requires(Permission.MANAGE, job.request().from());
        return job;
    }

    private CompletionStage<JobView> cancel(Call call) {
        ManagedJobs jobs = shard.get().jobs();
        return jobs.cancel(managed(jobs, call).id()).thenApply(JobView::of);
    }

    private CompletionStage<DeadLetters> deadLetters(Call call) {
        ManagedShard now = shard.get().coveredBy(call);
        String queue = call.text("queue");
        boolean hourly = call.flag("hourly");
        long max = call.number("max", LETTERS_USUAL, 1, LETTERS_MAX);
        List<String> queues = queue == null
                ? now.doors().policies().now().destinations().stream()
                        .filter(name -> now.byName(name) != null)
                        .sorted()
                        .toList()
                : List.of(queue);
        CompletionStage<DeadLetters> all = CompletableFuture.completedFuture(new DeadLetters(List.of(), 0, true));
        for (String name : queues) { // one after the other: each takes memory
            for (int home : homes(now, name)) {
                all = all.thenCompose(before -> max == before.letters()
                        ? CompletableFuture.completedFuture(new DeadLetters(before.groups(), max, false))
                        : now.jobs()
                                .survey(home, name, max - before.letters(), hourly)
                                .thenApply(found -> with(before, found)));
            }
        }
        return all;
    }

    /** Returns the shards that have the address; the first, which says that it is not there, if none has. */
    private static List<Integer> homes(ManagedShard now, String address) {
        List<Integer> homes = now.parts(address).stream()
                .map(part -> ShardIds.shardOf(part.address().id()))
                .toList();
        return homes.isEmpty() ? FIRST : homes;
    }

    private static DeadLetters with(DeadLetters before, LetterSurvey.Found found) {
        List<LetterSurvey.LetterGroup> groups = new ArrayList<>(before.groups());
        groups.addAll(found.groups());
        return new DeadLetters(groups, before.letters() + found.letters(), before.complete() && found.complete());
    }
}
