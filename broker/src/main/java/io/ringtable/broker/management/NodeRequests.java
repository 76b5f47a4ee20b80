package io.ringtable.broker.management;

import java.util.concurrent.CompletionStage;

/**
 * Asks other nodes of the cluster for what is in the shards that they serve.
 * <p>
 * Thread: any.
 */
public interface NodeRequests {
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
     * @return what the node answers, or why it does not; never fails
     */
    CompletionStage<ManagementAnswer> ask(Owner node, int shard, ManagementRequest request);

    /** Says that a node was not asked, or did not do what was asked. @param why for people, with the cure */
    static ManagementAnswer nothingDone(String why) {
        return new ManagementAnswer(503, new Problem("RT-4617", "nothing was done: " + why));
    }
}
