package io.ringtable.broker.management;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/**
 * Makes one page of a list of those that several nodes have given, each of its own shards. A page of a node has all of
 * its items up to its cursor. So the lowest cursor says how far the items of all nodes are known.
 * <p>
 * Thread: any; immutable.
 *
 * @param <K> by which the list is sorted
 */
public final class NodeListing<K extends Comparable<K>> implements Operation.Join {
    private final Function<JsonNode, K> keyOf;
    private final Function<String, K> read;
    private final Function<K, String> written;
    private final BinaryOperator<JsonNode> sum;

    private NodeListing(
            Function<JsonNode, K> keyOf,
            Function<String, K> read,
            Function<K, String> written,
            BinaryOperator<JsonNode> sum) {
        this.keyOf = keyOf;
        this.read = read;
        this.written = written;
        this.sum = sum;
    }

    /** Joins items that have a name. @param sum joins what two nodes say of one name */
    public static NodeListing<String> byName(BinaryOperator<JsonNode> sum) {
        return new NodeListing<>(item -> item.path("name").asString(), text -> text, text -> text, sum);
    }

    /** Joins items that have an id, which one node gives. Ids of what lives in memory are below 0, and fall. */
    public static NodeListing<Long> byId() {
        return byNumber("id", (one, same) -> one);
    }

    /** Joins items by a number. @param sum joins what two nodes say of one number */
    public static NodeListing<Long> byNumber(String field, BinaryOperator<JsonNode> sum) {
        return new NodeListing<>(item -> Math.abs(item.path(field).asLong()), Long::valueOf, Page::cursorOf, sum);
    }

    @Override
    public CompletionStage<?> join(Call call, List<Operation.Share> shares) {
        ManagementAnswer refusal = Operation.Share.refusalIn(shares);
        return CompletableFuture.completedFuture(
                refusal == null ? page(call.page().limit(), shares) : refusal);
    }

    private Listing<JsonNode> page(int limit, List<Operation.Share> shares) {
        NavigableMap<K, JsonNode> all = new TreeMap<>();
        K known = null; // up to here from all nodes; null = to the end
        for (Operation.Share share : shares) {
            JsonNode page = share.body();
            page.path("items").forEach(item -> all.merge(keyOf.apply(item), item, sum));
            if (page.hasNonNull("next")) {
                K end = read.apply(page.path("next").asString());
                known = known == null || end.compareTo(known) < 0 ? end : known;
            }
        }
        List<JsonNode> items = new ArrayList<>();
        K last = null;
        for (Map.Entry<K, JsonNode> each : (known == null ? all : all.headMap(known, true)).entrySet()) {
            if (items.size() == limit) {
                return listing(items, last, shares);
            }
            items.add(each.getValue());
            last = each.getKey();
        }
        return listing(items, known, shares);
    }

    private Listing<JsonNode> listing(List<JsonNode> items, K next, List<Operation.Share> shares) {
        return new Listing<>(items, next == null ? null : written.apply(next), Operation.Share.silentIn(shares));
    }
}
