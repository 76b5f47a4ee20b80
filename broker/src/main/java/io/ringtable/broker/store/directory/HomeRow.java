package io.ringtable.broker.store.directory;

import io.ringtable.broker.message.AddressKind;
import java.util.Objects;

/**
 * Describes one row of the directory: where a name lives.
 *
 * @param name unique in its scope, save that parts share one; 1 to {@value #NAME_MAX} characters
 * @param part 0, 1, 2 … of an address with parts, and of a subscription to one; 0 for all others
 * @param kind of an address; null for every other scope
 * @param shard number of the home; {@link #NO_SHARD} for a client id; how many there are in {@link Scope#SHARDS}
 * @param owner user whom a client id or a global subscription belongs to; empty = nobody
 * @param version of the directory when the row was changed last; 0 = there is no such row yet
 * @param next number of the shard that an address moves to; {@link #NO_SHARD} = it stays
 */
public record HomeRow(
        Scope scope,
        String name,
        int part,
        AddressKind kind,
        int shard,
        String owner,
        State state,
        long version,
        int next) {
    /** Stands for the home of a client id, which has none. */
    public static final int NO_SHARD = -1;

    /** Limits the characters of a name, as the stores do. */
    public static final int NAME_MAX = 400;

    /** Stands for the owner of a part that is to be deleted if no part of its address is in use (ADR 82). */
    public static final String ASKED = "//asked";

    /** Stands for the owner of such a part that is not in use, and takes nothing any more. */
    public static final String AGREED = "//agreed";

    /** Stands for the owner of a part that each node deletes: nothing takes that back. */
    public static final String DELETED = "//deleted";

    /** Says what a name is a name of. Names of one scope are unique. */
    public enum Scope {
        ADDRESS,
        SUBSCRIPTION,
        CLIENT,
        /** Means that a node hands a shard over to another one: there is one row at most. */
        HANDOVER,
        /** Says how many shards a cluster has: one row for all, and one for each node that began with that number. */
        SHARDS,
        /** Means the home that a cluster has chosen for an affinity, when no address of it was there. */
        AFFINITY;

        /** Tells whether the name is one of something that a shard has. */
        public boolean isOfShard() {
            return this == ADDRESS || this == SUBSCRIPTION || this == CLIENT;
        }

        /** Tells whether each row says in which shard the name lives. */
        public boolean livesInShards() {
            return this == ADDRESS || this == SUBSCRIPTION || this == AFFINITY;
        }
    }

    /** Says what may be done with the name. */
    public enum State {
        /** Means that the home makes what the name stands for, if it is not there yet. */
        HERE,
        /**
         * Means that it is being deleted, or made in several shards: nobody was told that it is there. Of an address
         * that moves: that the next shard has it, and this one is being emptied.
         */
        GOING
    }

    public HomeRow {
        Objects.requireNonNull(owner, "owner");
        Objects.requireNonNull(state, "state");
        if ((scope == Scope.ADDRESS) != (kind != null) || (scope == Scope.CLIENT) != (shard == NO_SHARD)) {
            throw new IllegalArgumentException(scope + " '" + name + "' of kind " + kind + " in shard " + shard);
        }
    }

    /** Says where a name lives that stays there. */
    public HomeRow(
            Scope scope, String name, int part, AddressKind kind, int shard, String owner, State state, long version) {
        this(scope, name, part, kind, shard, owner, state, version, NO_SHARD);
    }

    /** Returns the row with another state, as a change wants it. */
    public HomeRow with(State other) {
        return new HomeRow(scope, name, part, kind, shard, owner, other, version, next);
    }

    /** Returns the row of an address that begins to move to that shard, or that stays where it is after all. */
    public HomeRow moving(int to) {
        return new HomeRow(scope, name, part, kind, shard, owner, state, version, to);
    }

    /** Returns the row of an address that has come to that shard. */
    public HomeRow moved(int to) {
        return new HomeRow(scope, name, part, kind, to, "", State.HERE, version, NO_SHARD);
    }

    /** Returns the row of an address with a word of those who move it in place of its owner, whom no address has. */
    public HomeRow saying(String word) {
        return new HomeRow(scope, name, part, kind, shard, word, state, version, next);
    }

    /** Returns the row of a part that is being deleted at all nodes. @param step how far that is */
    public HomeRow going(String step) {
        return new HomeRow(scope, name, part, kind, shard, step, State.GOING, version, next);
    }

    /** Returns the row of a part that stays after all. */
    public HomeRow staying() {
        return new HomeRow(scope, name, part, kind, shard, "", State.HERE, version, next);
    }

    /** Tells whether nodes ask each other if the address may be deleted. */
    public boolean isAskedFor() {
        return state == State.GOING && owner.equals(ASKED) || isAgreed();
    }

    /** Tells whether the owner of the part has found that it may be deleted. */
    public boolean isAgreed() {
        return state == State.GOING && owner.equals(AGREED);
    }

    /** Tells whether each node deletes what it has of the name. */
    public boolean isCondemned() {
        return state == State.GOING && owner.equals(DELETED);
    }

    /** Tells whether the address is on its way to another shard. */
    public boolean isMoving() {
        return next != NO_SHARD;
    }

    /** Tells whether both rows say the same of the same name, whatever their versions. */
    public boolean says(HomeRow other) {
        return scope == other.scope
                && name.equals(other.name)
                && part == other.part
                && kind == other.kind
                && shard == other.shard
                && owner.equals(other.owner)
                && state == other.state
                && next == other.next;
    }
}
