package io.ringtable.broker.management;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
        Set<Integer> shards = operation.place().shards(call);
        return !shards.isEmpty() || call.caller().isCarried()
                ? handle(operation, call, shards)
                : others.refresh() // another node may just have made it
                        .handle((done, unknown) -> null)
                        .thenComposeAsync(known ->
                                handle(operation, call, operation.place().shards(call)));
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
        return others.ask(node, shard, request).thenCompose(answer -> {
            boolean isChanged = !request.method().equals(Method.GET.name()) && !answer.isError();
            return isChanged
                    ? others.follow().handle((known, failure) -> answer)
                    : CompletableFuture.completedFuture(answer);
        });
    }

    CompletionStage<ManagementAnswer> ask(NodeRequests.Owner node, ManagementRequest request) {
        return node == null ? here.apply(request) : others.ask(node, 0, request);
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
