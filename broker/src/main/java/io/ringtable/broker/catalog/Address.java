package io.ringtable.broker.catalog;

import java.util.Objects;

/**
 * A queue or a topic by name.
 * <p>
 * Identity is the id: a deleted address never comes back under its old id. Thread: any; {@link #quota()} is the only
 * part that moves.
 *
 * @param id never reused in its shard
 * @param name without prefix; 1 to {@value #NAME_MAX} characters, none of them a control character
 * @param quota what may be owed on it
 */
public record Address(long id, String name, AddressKind kind, AddressQuota quota) {
    /** Longest name, in UTF-16 characters: what an indexed NVARCHAR key of SQL Server holds beside a BIGINT. */
    public static final int NAME_MAX = 400;

    public Address {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(quota, "quota");
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
