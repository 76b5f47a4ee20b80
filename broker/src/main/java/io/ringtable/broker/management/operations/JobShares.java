package io.ringtable.broker.management.operations;

import io.ringtable.broker.management.Call;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementJson;
import io.ringtable.broker.management.Method;
import io.ringtable.broker.management.NodeRequests;
import io.ringtable.broker.management.Operation;
import io.ringtable.broker.management.operations.JobOperations.DeadLetters;
import io.ringtable.broker.ring.ShardIds;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Joins what several nodes say of jobs, each for its shards. Thread: any. */
final class JobShares {
    private static final String TOGETHER = "together";

    private JobShares() {}

    /**
     * Joins the jobs that nodes have begun. If one of them refuses, the others' jobs are cancelled, as those of several
     * shards of one node are.
     */
    static CompletionStage<ManagementAnswer> begun(Call call, List<Operation.Share> shares) {
        ManagementAnswer refusal = refusal(shares);
        if (refusal != null) {
            return CompletableFuture.allOf(shares.stream()
                            .flatMap(share -> ids(share.body())
                                    .map(id -> call.ask(share.node(), Method.DELETE, "/jobs/" + id)
                                            .toCompletableFuture()))
                            .toArray(CompletableFuture[]::new))
                    .thenApply(cancelled -> refusal);
        }
        ObjectNode first = (ObjectNode) shares.get(0).body();
        ArrayNode together = ManagementJson.MAPPER.createArrayNode();
        shares.forEach(share -> ids(share.body()).forEach(together::add));
        if (together.size() > 1) {
            first.set(TOGETHER, together);
        }
        return CompletableFuture.completedFuture(ManagementAnswer.begun(first));
    }

    /** Returns why a part has no job; null if all have. A shard may just have gone to a node that was not asked. */
    private static ManagementAnswer refusal(List<Operation.Share> shares) {
        ManagementAnswer said = Operation.Share.refusalIn(shares);
        Set<Integer> missing = shares.stream()
                .flatMap(share -> share.shards().stream())
                .collect(Collectors.toCollection(TreeSet::new));
        shares.forEach(share -> ids(share.body()).forEach(id -> missing.remove(ShardIds.shardOf(id))));
        return said != null || missing.isEmpty()
                ? said
                : NodeRequests.nothingDone("shards " + missing
                        + " are on their way to another node, and the jobs of others were cancelled: ask again");
    }

    /** Returns the ids of the jobs that a node has begun; none if it has refused. */
    private static Stream<Long> ids(JsonNode begun) {
        if (!begun.isObject()) {
            return Stream.empty();
        }
        JsonNode together = begun.path(TOGETHER);
        return together.isArray()
                ? StreamSupport.stream(together.spliterator(), false).map(JsonNode::asLong)
                : Stream.of(begun.path("id").asLong());
    }

    /** Adds up what several nodes have counted. */
    static CompletionStage<?> counted(Call call, List<Operation.Share> shares) {
        ManagementAnswer refusal = Operation.Share.refusalIn(shares);
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        List<String> silent = Operation.Share.silentIn(shares);
        List<DeadLetters> counted = shares.stream()
                .map(Operation.Share::body)
                .filter(JsonNode::isObject)
                .map(body -> ManagementJson.read(body, DeadLetters.class))
                .toList();
        return CompletableFuture.completedFuture(new DeadLetters(
                counted.stream().flatMap(each -> each.groups().stream()).toList(),
                counted.stream().mapToLong(DeadLetters::letters).sum(),
                silent.isEmpty() && counted.stream().allMatch(DeadLetters::complete),
                silent.isEmpty() ? null : silent));
    }
}
