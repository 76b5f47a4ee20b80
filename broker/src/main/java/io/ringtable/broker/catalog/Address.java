package io.ringtable.broker.catalog;

import java.util.Objects;

/**
 * A queue or a topic by name.
 * <p>
 * Identity is the id: a deleted address never comes back under its old id. Thread: any; {@link #quota()} is the only
 * part that moves.
 *
 * @param id never reused in its shard; negative for temporary ones
 * @param name without prefix; 1 to {@value #NAME_MAX} characters, none of them a control character
 * @param quota what may be owed on it
 */
public record Address(long id, String name, AddressKind kind, AddressQuota quota) {
    /** Longest name, in UTF-16 characters: what an indexed NVARCHAR key of SQL Server holds beside a BIGINT. */
    public static final int NAME_MAX = 400;

    /**
     * How the names of temporary addresses begin, and no other's: so that a message which comes late for one that is gone does
     * not create it anew.
     */
    public static final String TEMPORARY_PREFIX = "temporary:";

    public Address {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(quota, "quota");
    }

    /** Whether it lives in memory only, as long as the link that made it. */
    public boolean isTemporary() {
        return id < 0;
    }

    public boolean isQueue() {
        return kind == AddressKind.QUEUE;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Address that && that.id == id;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(id);
    }

    @Override
    public String toString() {
        return kind.name().toLowerCase(java.util.Locale.ROOT) + " '" + name + "'";
    }
}
