package io.ringtable.broker.management;

import java.util.concurrent.CompletionStage;

/**
 * Asks other nodes of the cluster for what is in the shards that they serve.
 * <p>
 * Thread: any.
 */
public interface NodeRequests {
    /** The code of an answer that says so. */
    String NOTHING_DONE = "RT-4617";

    /**
     * Names another node.
     *
     * @param node its id
     * @param description of it, for people
     * @param url where clients reach it; null while it has told none
     */
    record Owner(String node, String description, String url) {
        @Override
        public String toString() {
            return "node '" + description + "'" + (url == null ? "" : " at " + url);
        }
    }

    /** Returns which other node serves the shard; null if this one does, none is seen, or it may not be asked. */
    Owner ownerOf(int shard);

    /** Has the names known here that other nodes have made and deleted, up to now. */
    CompletionStage<Void> refresh();

    /** Has what another node has just changed count here: names and settings. @return completes then, or at last */
    CompletionStage<Void> follow();

    /**
     * Passes a request on.
     *
     * @param shard a shard that the node serves
     * @param waitMs how long to wait for the answer, in ms
     * @return what the node answers, or why it does not; never fails
     */
    CompletionStage<ManagementAnswer> ask(Owner node, int shard, ManagementRequest request, long waitMs);

    /** Does so where the other node answers at once. It waits less than any of those who ask this node. */
    default CompletionStage<ManagementAnswer> ask(Owner node, int shard, ManagementRequest request) {
        return ask(node, shard, request, 20_000);
    }

    /** Says that a node was not asked, or did not do what was asked. @param why for people, with the cure */
    static ManagementAnswer nothingDone(String why) {
        return new ManagementAnswer(503, new Problem(NOTHING_DONE, "nothing was done: " + why));
    }
}
