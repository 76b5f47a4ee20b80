package io.ringtable.broker.cluster;

import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import java.util.Locale;

/**
 * Says how far the handover of a shard is, as the one row of the directory has it. Immutable.
 *
 * @param from id of the node that gives the shard
 * @param to id of the node that is to take it
 * @param version of the row; 0 = there is none yet
 */
record Handover(Step step, int shard, String from, String to, long version) {
    private static final String NAME = "handover"; // of the only row
    private static final String SEPARATOR = "|"; // in no id of a node

    /** Names how far a handover is. */
    enum Step {
        /** Means that no handover is under way. */
        OVER,
        /** Waits for the word of the node that is to take the shard. */
        OFFERED,
        /** Is refused by that node, which may not take the shard, or has tried to serve it and failed. */
        DECLINED,
        /** Lets the giver stop the shard: the other node waits for it. Nobody else takes it meanwhile. */
        ACCEPTED
    }

    /** Stands for a directory that has no such row yet. */
    static final Handover NONE = new Handover(Step.OVER, 0, "", "", 0);

    /** Reads a row; null if it is no handover. */
    static Handover of(HomeRow row) {
        if (row.scope() != HomeRow.Scope.HANDOVER) {
            return null;
        }
        String[] parts = row.owner().split("\\" + SEPARATOR, -1);
        return new Handover(
                Step.valueOf(parts[0].toUpperCase(Locale.ROOT)), row.shard(), parts[1], parts[2], row.version());
    }

    /** Returns the same handover one step further. */
    Handover at(Step next) {
        return new Handover(next, shard, from, to, version);
    }

    /** Returns the next handover, in the place of this one. */
    Handover followedBy(int next, String giver, String taker) {
        return new Handover(Step.OFFERED, next, giver, taker, version);
    }

    /** Returns the change that makes the row say so, unless another node has changed it. */
    HomeChange change() {
        String owner = step.name().toLowerCase(Locale.ROOT) + SEPARATOR + from + SEPARATOR + to;
        return HomeChange.put(
                new HomeRow(HomeRow.Scope.HANDOVER, NAME, 0, null, shard, owner, HomeRow.State.HERE, version));
    }

    /** Tells whether a shard is about to change its node. */
    boolean isUnderWay() {
        return step == Step.OFFERED || step == Step.ACCEPTED;
    }
}
