package io.ringtable.broker.management;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * Has an operation done where the shards are that it is about (ADR 73). That is this node or another one, or each of
 * several nodes does its part. A request that another node has passed on goes no further.
 * <p>
 * Thread: any.
 */
final class NodeCalls {
    private static final int CONFLICT = 409;
    private static final int FAILED = 500; // and above: the node could not answer
    /** Is longer than the other node waits for a shard, and less than any of those wait who ask this node. */
    private static final long MEETING_WAIT_MS = 26_000;
    /** Bounds when the last request for a meeting begins. With its wait that is less than a minute. */
    private static final long MEETING_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final long MEETING_PAUSE_MS = 500; // until this node may know where the shards have gone

    private static final String HERE = ""; // no node has such an id
    private static final Executor LATER = CompletableFuture.delayedExecutor(MEETING_PAUSE_MS, TimeUnit.MILLISECONDS);

    private final NodeRequests others;
    private final Function<ManagementRequest, CompletionStage<ManagementAnswer>> here;
    private final BiFunction<ManagementRequest, Throwable, CompletionStage<ManagementAnswer>> problem;

    /** Is another node with shards of it that a call is about. */
    private record Elsewhere(NodeRequests.Owner node, Set<Integer> shards) {
        int any() {
            return shards.iterator().next();
        }
    }

    /**
     * @param here answers a request at this node
     * @param problem makes an answer of a failure
     */
    NodeCalls(
            NodeRequests others,
            Function<ManagementRequest, CompletionStage<ManagementAnswer>> here,
            BiFunction<ManagementRequest, Throwable, CompletionStage<ManagementAnswer>> problem) {
        this.others = others;
        this.here = here;
        this.problem = problem;
    }

    /** Does what is asked, as {@link Operation.Handler} does. */
    CompletionStage<?> handle(Operation operation, Call call) {
        if (operation.place() == null) {
            return operation.handler().handle(call);
        }
        if (operation.meeting() != null && !call.caller().isCarried()) {
            return refreshedUnlessKnown(operation, call)
                    .thenComposeAsync(known -> meet(operation, call, System.nanoTime() + MEETING_NANOS));
        }
        Set<Integer> shards = operation.place().shards(call);
        return !shards.isEmpty() || call.caller().isCarried()
                ? handle(operation, call, shards)
                : refreshedUnlessKnown(operation, call)
                        .thenComposeAsync(known ->
                                handle(operation, call, operation.place().shards(call)));
    }

    /** Asks the directory for what nobody knows here, as another node may just have made it. @return never fails */
    private CompletionStage<Void> refreshedUnlessKnown(Operation operation, Call call) {
        return operation.place().shards(call).isEmpty()
                ? others.refresh().handle((done, unknown) -> null)
                : CompletableFuture.completedFuture(null);
    }

    private CompletionStage<?> handle(Operation operation, Call call, Set<Integer> shards) {
        Set<Integer> own = new TreeSet<>(shards);
        Map<String, Elsewhere> elsewhere = new LinkedHashMap<>();
        for (int shard : shards) {
            NodeRequests.Owner owner = others.ownerOf(shard);
            if (owner != null) {
                own.remove(shard);
                elsewhere
                        .computeIfAbsent(owner.node(), id -> new Elsewhere(owner, new TreeSet<>()))
                        .shards
                        .add(shard);
            }
        }
        if (elsewhere.isEmpty()) {
            return operation.handler().handle(call);
        }
        if (call.caller().isCarried()) {
            return carried(operation, call, shards, own);
        }
        if (operation.join() != null) {
            return gather(operation, call, own, List.copyOf(elsewhere.values()));
        }
        if (own.isEmpty() && elsewhere.size() == 1) {
            Elsewhere only = elsewhere.values().iterator().next();
            return pass(only.node, only.any(), call.request());
        }
        throw new ManagementRefused(
                CONFLICT,
                "RT-4618",
                operation + " is about shards of several nodes" + (own.isEmpty() ? "" : ", " + own + " of this node")
                        + elsewhere.values().stream()
                                .map(each -> ", " + each.shards + " of " + each.node)
                                .collect(Collectors.joining())
                        + ": have one node take them all (POST /shards/{number}/move), and ask again");
    }

    private static CompletionStage<?> carried(Operation operation, Call call, Set<Integer> shards, Set<Integer> own) {
        return own.isEmpty()
                ? CompletableFuture.completedFuture(
                        NodeRequests.nothingDone("shards " + shards + " have just gone to another node: ask again"))
                : operation.handler().handle(call.covering(own::contains));
    }

    // ---- one other node

    boolean isElsewhere(Call call, int shard) {
        return !call.caller().isCarried() && others.ownerOf(shard) != null;
    }

    CompletionStage<ManagementAnswer> passOn(Call call, int shard, JsonNode body) {
        ManagementRequest asked = call.request();
        NodeRequests.Owner owner = others.ownerOf(shard);
        ManagementRequest passed =
                new ManagementRequest(asked.method(), asked.path(), asked.query(), body, asked.caller());
        return owner == null ? here.apply(passed) : pass(owner, shard, passed); // null: it has just come here
    }

    /** Passes a request on. A change counts here too once it is answered. */
    private CompletionStage<ManagementAnswer> pass(NodeRequests.Owner node, int shard, ManagementRequest request) {
        return followed(request, others.ask(node, shard, request));
    }

    private CompletionStage<ManagementAnswer> followed(
            ManagementRequest request, CompletionStage<ManagementAnswer> asked) {
        return asked.thenCompose(answer -> {
            boolean isChanged = !request.method().equals(Method.GET.name()) && !answer.isError();
            return isChanged
                    ? others.follow().handle((known, failure) -> answer)
                    : CompletableFuture.completedFuture(answer);
        });
    }

    CompletionStage<ManagementAnswer> ask(NodeRequests.Owner node, ManagementRequest request) {
        return node == null ? here.apply(request) : others.ask(node, 0, request);
    }

    // ---- one of several nodes

    /** Has the operation done at a node that has some of the shards, which gets the others. @return never fails */
    private CompletionStage<ManagementAnswer> meet(Operation operation, Call call, long until) {
        Operation.Meeting meeting = operation.meeting();
        List<Integer> ways = ways(operation, call);
        CompletionStage<ManagementAnswer> asked =
                ways.isEmpty() ? known(operation, call) : at(operation, call, ways.get(0));
        for (int other : ways.subList(Math.min(1, ways.size()), ways.size())) {
            asked = asked.thenCompose(refusal -> isOneOf(refusal, meeting.otherWay())
                    ? at(operation, call, other).thenApply(answer -> bothRefuse(refusal, answer, meeting))
                    : CompletableFuture.completedFuture(refusal));
        }
        return asked.thenCompose(answer -> isOneOf(answer, meeting.again()) && until - System.nanoTime() > 0
                ? CompletableFuture.supplyAsync(() -> null, LATER).thenCompose(rested -> meet(operation, call, until))
                : CompletableFuture.completedFuture(answer));
    }

    /** Returns a shard of each node that has some of the shards, in the order in which the nodes are asked. */
    private List<Integer> ways(Operation operation, Call call) {
        Set<Integer> shards = new LinkedHashSet<>(operation.meeting().first().shards(call));
        shards.addAll(operation.place().shards(call));
        Map<String, Integer> byNode = new LinkedHashMap<>();
        for (int shard : shards) {
            NodeRequests.Owner owner = others.ownerOf(shard);
            byNode.putIfAbsent(owner == null ? HERE : owner.node(), shard);
        }
        return List.copyOf(byNode.values());
    }

    private CompletionStage<ManagementAnswer> at(Operation operation, Call call, int shard) {
        NodeRequests.Owner owner = others.ownerOf(shard);
        return owner == null
                ? known(operation, call)
                : followed(call.request(), others.ask(owner, shard, call.request(), MEETING_WAIT_MS));
    }

    private static boolean isOneOf(ManagementAnswer answer, Set<String> codes) {
        return answer.body() instanceof Problem problem && codes.contains(problem.code());
    }

    private static ManagementAnswer bothRefuse(
            ManagementAnswer one, ManagementAnswer other, Operation.Meeting meeting) {
        if (!isOneOf(other, meeting.otherWay())) {
            return other;
        }
        Problem last = (Problem) other.body();
        return new ManagementAnswer(
                other.status(),
                new Problem(
                        last.code(), last.message() + ". The other way round: " + ((Problem) one.body()).message()));
    }

    // ---- several nodes

    /** Asks each node for its shards. Shows what this node knows of the shards of one that does not answer. */
    private CompletionStage<?> gather(Operation operation, Call call, Set<Integer> own, List<Elsewhere> elsewhere) {
        List<CompletableFuture<Operation.Share>> asked = new ArrayList<>();
        for (Elsewhere each : elsewhere) {
            asked.add(others.ask(each.node, each.any(), call.request())
                    .thenCompose(answer -> share(operation, call, each, answer))
                    .toCompletableFuture());
        }
        if (!own.isEmpty()) {
            asked.add(
                    0,
                    known(operation, call.covering(own::contains))
                            .thenApply(answer -> new Operation.Share(null, own, answer, null))
                            .toCompletableFuture());
        }
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                .thenCompose(all -> operation
                        .join()
                        .join(call, asked.stream().map(CompletableFuture::join).toList()));
    }

    private CompletionStage<Operation.Share> share(
            Operation operation, Call call, Elsewhere of, ManagementAnswer answer) {
        if (answer.status() < FAILED || operation.method().changes()) {
            return CompletableFuture.completedFuture(new Operation.Share(of.node, of.shards, answer, null));
        }
        return known(operation, call.covering(of.shards::contains))
                .thenApply(known -> new Operation.Share(
                        of.node, of.shards, known.isError() ? null : known, (Problem) answer.body()));
    }

    private CompletionStage<ManagementAnswer> known(Operation operation, Call call) {
        CompletionStage<ManagementAnswer> answer;
        try {
            answer = operation.handler().handle(call).thenApply(given -> Management.answer(operation, given));
        } catch (RuntimeException failure) {
            answer = CompletableFuture.failedFuture(failure);
        }
        return answer.exceptionallyCompose(failure -> problem.apply(call.request(), failure));
    }
}
