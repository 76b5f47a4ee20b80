package io.ringtable.broker.home.directory;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Hash;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Says what the directory is to have of one name.
 *
 * @param kind null for what is no address
 * @param owner empty = nobody
 * @param shards where it lives; empty = it is to have no row
 */
public record DirectoryEntry(
        HomeRow.Scope scope, String name, AddressKind kind, String owner, Collection<Integer> shards) {
    private static final int SHOWN = 320; // characters of a name that is too long; a bar and 64 digits follow

    public static DirectoryEntry address(String name, AddressKind kind, Collection<Integer> shards) {
        return new DirectoryEntry(HomeRow.Scope.ADDRESS, name, kind, "", shards);
    }

    /**
     * Names a durable subscription.
     *
     * @param owner of a global subscription; null or empty = nobody
     */
    public static DirectoryEntry subscription(String clientId, String name, String owner, Collection<Integer> shards) {
        return new DirectoryEntry(
                HomeRow.Scope.SUBSCRIPTION,
                subscriptionName(clientId, name),
                null,
                clientId.isEmpty() && owner != null ? owner : "",
                shards);
    }

    /** Names a client id. @param owner null or empty = nobody: there is no row */
    public static DirectoryEntry client(String clientId, String owner) {
        boolean isOwned = owner != null && !owner.isEmpty();
        return new DirectoryEntry(
                HomeRow.Scope.CLIENT,
                clientId,
                null,
                isOwned ? owner : "",
                isOwned ? List.of(HomeRow.NO_SHARD) : List.of());
    }

    /** Says that the name of these rows has none. */
    public static DirectoryEntry gone(HomeRow row) {
        return new DirectoryEntry(row.scope(), row.name(), row.kind(), "", List.of());
    }

    /** Returns what the names of all subscriptions of a client begin with; null if the client id is too long. */
    public static String subscriptionPrefix(String clientId) {
        String prefix = clientId.length() + "|" + clientId + "|";
        return prefix.length() < SHOWN ? prefix : null;
    }

    /** Returns one name for both, such that no two pairs meet. */
    public static String subscriptionName(String clientId, String name) {
        return within(clientId.length() + "|" + clientId + "|" + name);
    }

    /** Returns the same for a shared volatile subscription, of which no durable one has it. */
    static String volatileName(String clientId, String name) {
        return within("volatile|" + clientId.length() + "|" + clientId + "|" + name);
    }

    private static String within(String whole) {
        if (whole.length() <= HomeRow.NAME_MAX) {
            return whole;
        }
        int shown = Character.isHighSurrogate(whole.charAt(SHOWN - 1)) ? SHOWN - 1 : SHOWN;
        return whole.substring(0, shown) + "|"
                + HexFormat.of().formatHex(Hash.sha256(whole.getBytes(StandardCharsets.UTF_16)));
    }

    /** Returns the changes that make these rows say so; empty if they do. @param state of the name */
    public List<HomeChange> changes(List<HomeRow> rows, HomeRow.State state) {
        List<HomeChange> changes = new ArrayList<>();
        Queue<Integer> missing = new ArrayDeque<>(shards);
        List<HomeRow> others = new ArrayList<>();
        for (HomeRow row : rows) {
            if (missing.remove(row.shard())) {
                HomeRow wanted = row(row.part(), row.shard(), state, row.version());
                if (!row.says(wanted)) {
                    changes.add(HomeChange.put(wanted));
                }
            } else {
                others.add(row);
            }
        }
        for (HomeRow row : others) {
            changes.add(
                    missing.isEmpty()
                            ? HomeChange.remove(row)
                            : HomeChange.put(row(row.part(), missing.remove(), state, row.version())));
        }
        Set<Integer> taken = rows.stream().map(HomeRow::part).collect(Collectors.toSet());
        for (int part = 0; !missing.isEmpty(); part++) {
            if (!taken.contains(part)) {
                changes.add(HomeChange.put(row(part, missing.remove(), state, 0)));
            }
        }
        return changes;
    }

    private HomeRow row(int part, int shard, HomeRow.State state, long version) {
        return new HomeRow(scope, name, part, kind, shard, owner, state, version);
    }
}
