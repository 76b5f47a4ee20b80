package io.ringtable.broker.message;

import java.util.Locale;
import java.util.Objects;

/**
 * A queue or a topic by name.
 * <p>
 * Identity is the id: a deleted address never comes back under its old id. Thread: any; {@link #quota()} is the only
 * part that moves.
 *
 * @param id never reused in its shard; negative for temporary ones
 * @param name without prefix; 1 to {@value #NAME_MAX} characters, none of them a control character or half of a surrogate pair
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

    /** Whether an address may have that name; UTF-8, so AMQP, has no form for a surrogate that stands alone. */
    public static boolean isName(String name) {
        return !name.isEmpty()
                && name.length() <= NAME_MAX
                && name.chars().noneMatch(Character::isISOControl)
                && Utf16.isWellFormed(name);
    }

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

    /** Why somebody who means an address of that kind does not get this one. */
    public Refusal isNo(AddressKind wanted) {
        return new Refusal(
                Refusal.Reason.NOT_ALLOWED,
                "RT-2011",
                this + " exists and is no " + wanted.name().toLowerCase(Locale.ROOT) + ": use another name");
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
        return kind.name().toLowerCase(Locale.ROOT) + " '" + name + "'";
    }
}
