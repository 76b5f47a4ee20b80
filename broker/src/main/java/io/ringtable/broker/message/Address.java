package io.ringtable.broker.message;

import java.util.Locale;
import java.util.Objects;

/**
 * Names a queue or a topic.
 * <p>
 * The id is the identity: a deleted address never comes back under its old id. Thread: any; only {@link #quota()}
 * changes.
 *
 * @param id never reused in its shard; negative for temporary addresses
 * @param name without prefix; 1 to {@value #NAME_MAX} characters, none of them a control character or half of a
 *     surrogate pair
 * @param quota what may be owed on the address
 */
public record Address(long id, String name, AddressKind kind, AddressQuota quota) {
    /**
     * Limits the length of a name, in UTF-16 characters: an indexed NVARCHAR key of SQL Server holds that beside a
     * BIGINT.
     */
    public static final int NAME_MAX = 400;

    /**
     * Begins the names of temporary addresses, and of no others: a message that comes too late for a temporary address
     * does not create it again.
     */
    public static final String TEMPORARY_PREFIX = "temporary:";

    /** The code of what is refused in the shard that an address leaves, and taken in the next one. */
    public static final String MOVES = "RT-4620";

    /** The code of what is refused while an address is being deleted at several nodes. */
    public static final String GOES = "RT-4613";

    private static final char SHARD_END = ':';
    private static final int SHARD_DIGITS_MAX = 4;

    /** Returns the name of a temporary address. @param unique in its shard */
    public static String temporaryName(int shard, String unique) {
        return TEMPORARY_PREFIX + shard + SHARD_END + unique;
    }

    /** Returns the shard that the name of a temporary address says; -1 if it says none. */
    public static int shardOfTemporary(String name) {
        int end = name.startsWith(TEMPORARY_PREFIX) ? name.indexOf(SHARD_END, TEMPORARY_PREFIX.length()) : -1;
        if (end < 0 || end > TEMPORARY_PREFIX.length() + SHARD_DIGITS_MAX) {
            return -1;
        }
        try {
            return Integer.parseInt(name, TEMPORARY_PREFIX.length(), end, 10);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /**
     * Tells whether an address may have that name. UTF-8, and so AMQP, has no form for a surrogate that stands alone.
     */
    public static boolean isName(String name) {
        return !name.isEmpty()
                && name.length() <= NAME_MAX
                && name.chars().noneMatch(Character::isISOControl)
                && Utf16.isWellFormed(name);
    }

    /** Tells whether a name begins as clients write the kind of an address, which is no part of its name. */
    public static boolean hasKindPrefix(String name) {
        return name.startsWith("queue://") || name.startsWith("topic://");
    }

    public Address {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(quota, "quota");
    }

    /** Tells whether the address lives in memory only, as long as the link that made it. */
    public boolean isTemporary() {
        return id < 0;
    }

    public boolean isQueue() {
        return kind == AddressKind.QUEUE;
    }

    /** Returns why nothing is stored in this shard any more: the address moves to another one. */
    public Refusal moves() {
        return new Refusal(
                Refusal.Reason.LIMIT, MOVES, this + " moves to another shard, which takes its messages: send again");
    }

    /** Returns why nothing is stored any more: parts at several nodes are being deleted. */
    public Refusal goes() {
        return new Refusal(
                Refusal.Reason.IN_USE,
                GOES,
                this
                        + " is being deleted at all nodes that have parts of it, or may be if it is not in use. Send"
                        + " again, to what has its name then");
    }

    /** Returns why a request for an address of that kind does not get this one. */
    public Refusal isNo(AddressKind wanted) {
        return new Refusal(
                Refusal.Reason.NOT_ALLOWED,
                "RT-2011",
                this + " exists and is not a " + wanted.name().toLowerCase(Locale.ROOT) + ": use another name");
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
