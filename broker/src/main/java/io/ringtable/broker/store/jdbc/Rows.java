package io.ringtable.broker.store.jdbc;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.InboxRow;
import io.ringtable.broker.message.InboxSettlement;
import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingKind;
import io.ringtable.broker.store.AddressRow;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.LoginRow;
import io.ringtable.broker.store.MessageRow;
import io.ringtable.broker.store.ProducerRow;
import io.ringtable.broker.store.ReplayRow;
import io.ringtable.broker.store.RingRow;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.store.SubscriptionRow;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Reads rows into the records of the port. Every engine's statements give their columns in the order that stands here.
 * Instants are milliseconds since the epoch, 0 for none; an absent number is the port's own value for absent.
 */
public final class Rows {
    private Rows() {}

    /**
     * Reads sequence, address_id, published_at, priority, expires_at, deliver_at, group_no, pending, body_id,
     * body_bytes; the body, if asked for, is the eleventh, and login_id the twelfth.
     */
    public static StoredMessage message(ResultSet row, boolean withBody) throws SQLException {
        return message(row, row.getLong(8), withBody);
    }

    /** Reads a message, with other bits pending than the row says. */
    public static StoredMessage message(ResultSet row, long pending, boolean withBody) throws SQLException {
        return new StoredMessage(
                row.getLong(1),
                row.getLong(2),
                row.getLong(3),
                row.getInt(4),
                row.getLong(5),
                row.getLong(6),
                row.getInt(7),
                pending,
                withBody ? row.getBytes(11) : null,
                row.getLong(9),
                row.getInt(10),
                withBody ? row.getInt(12) : PublisherLogin.UNKNOWN_ID);
    }

    /** Reads a {@link #message} with its body; column 13 says whether it lies in the ring, column 14 who owes it. */
    public static MessageRow messageRow(ResultSet row) throws SQLException {
        return messageRow(row, row.getLong(14));
    }

    /** Reads the first thirteen columns of a {@link #messageRow}, with other bits owed. */
    public static MessageRow messageRow(ResultSet row, long owed) throws SQLException {
        return new MessageRow(message(row, true), row.getBoolean(13), owed);
    }

    /**
     * Reads a {@link #message} without its body; column 11 is reference_count, column 12 says whether the body is
     * complete.
     */
    public static RingRow ringRow(ResultSet row) throws SQLException {
        return new RingRow(message(row, false), row.getInt(11), row.getBoolean(12));
    }

    /** Reads subscription_id, messages. */
    public static ShardState.OwedCount owedCount(ResultSet row) throws SQLException {
        return new ShardState.OwedCount(row.getLong(1), row.getLong(2));
    }

    /** Reads address_id, name, kind, quota_messages, quota_bytes. */
    public static AddressRow address(ResultSet row) throws SQLException {
        return new AddressRow(row.getLong(1), row.getString(2), kind(row.getString(3)), row.getLong(4), row.getLong(5));
    }

    /**
     * Reads subscription_id, address_id, client_id, name, group_no, bit, from_sequence, dispatched_to (FOLLOWS for
     * none), selector, no_local, shared.
     */
    public static SubscriptionRow subscription(ResultSet row) throws SQLException {
        return new SubscriptionRow(
                row.getLong(1),
                row.getLong(2),
                row.getString(3),
                row.getString(4),
                row.getInt(5),
                row.getInt(6),
                row.getLong(7),
                row.getLong(8),
                row.getString(9),
                row.getBoolean(10),
                row.getBoolean(11));
    }

    /** Reads block, bit, settled. */
    public static Flush.Settlement settlement(ResultSet row) throws SQLException {
        return new Flush.Settlement(row.getLong(1), row.getInt(2), row.getBytes(3));
    }

    /** Reads address_id, block, bit, settled. */
    public static Flush.BacklogSettlement backlogSettlement(ResultSet row) throws SQLException {
        return new Flush.BacklogSettlement(row.getLong(1), row.getLong(2), row.getInt(3), row.getBytes(4));
    }

    /** Reads sequence, subscription_id, count, not_before. */
    public static Flush.Redelivery redelivery(ResultSet row) throws SQLException {
        return new Flush.Redelivery(row.getLong(1), row.getLong(2), row.getInt(3), row.getLong(4));
    }

    /** Reads address_id, first_sequence, last_sequence, messages, bytes, first_expires_at, first_deliver_at. */
    public static ShardState.BacklogSummary backlogSummary(ResultSet row) throws SQLException {
        return new ShardState.BacklogSummary(
                row.getLong(1),
                row.getLong(2),
                row.getLong(3),
                row.getLong(4),
                row.getLong(5),
                row.getLong(6),
                row.getLong(7));
    }

    /**
     * Reads inbox_id, address, kind (NULL for none), content, body, properties, age_ms, published_by. A settlement has
     * NULL in the columns 2, 3, 5, 6 and 8; the columns that {@link #inboxSettlement} reads follow.
     */
    public static InboxRow inboxRow(ResultSet row) throws SQLException {
        return "settlement".equals(row.getString(4)) ? inboxSettlement(row, row.getLong(7), 9) : inboxMessage(row);
    }

    private static InboxMessage inboxMessage(ResultSet row) throws SQLException {
        String kind = row.getString(3);
        return new InboxMessage(
                row.getLong(1),
                row.getString(2),
                kind == null ? null : kind(kind),
                "text".equals(row.getString(4)),
                row.getBytes(5),
                row.getString(6),
                row.getLong(7),
                row.getString(8));
    }

    /**
     * Reads inbox_id first; from the given column on subscription_id, sequence, address_id, place (NULL for nowhere),
     * pending, body_bytes, body_id.
     */
    public static InboxSettlement inboxSettlement(ResultSet row, long ageMs, int from) throws SQLException {
        String place = row.getString(from + 3);
        return new InboxSettlement(
                row.getLong(1),
                ageMs,
                row.getLong(from),
                row.getLong(from + 1),
                place == null
                        ? InboxSettlement.Place.NOWHERE
                        : InboxSettlement.Place.valueOf(place.toUpperCase(Locale.ROOT)),
                row.getLong(from + 2),
                row.getLong(from + 4),
                row.getInt(from + 5),
                row.getLong(from + 6));
    }

    /** Reads producer_id, address_id, name, incarnation, last_number, used_at, owner. */
    public static ProducerRow producer(ResultSet row) throws SQLException {
        return new ProducerRow(
                row.getLong(1),
                row.getLong(2),
                row.getString(3),
                row.getLong(4),
                row.getLong(5),
                row.getLong(6),
                row.getString(7));
    }

    /** Reads address_id, position, ordinal, id. */
    public static Flush.DuplicateId duplicateId(ResultSet row) throws SQLException {
        return new Flush.DuplicateId(row.getLong(1), row.getInt(2), row.getLong(3), row.getBytes(4));
    }

    /** Reads subscription_id, position, finished. */
    public static ReplayRow replay(ResultSet row) throws SQLException {
        return new ReplayRow(row.getLong(1), row.getLong(2), row.getBoolean(3));
    }

    /** Reads kind, name, document, changed_by, changed_at. */
    public static Setting setting(ResultSet row) throws SQLException {
        return new Setting(
                SettingKind.ofStored(row.getString(1)),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                Instant.ofEpochMilli(row.getLong(5)));
    }

    /** Reads login_id, kind, name. */
    public static LoginRow login(ResultSet row) throws SQLException {
        PublisherLogin.Kind kind = PublisherLogin.Kind.valueOf(row.getString(2).toUpperCase(Locale.ROOT));
        return new LoginRow(row.getInt(1), PublisherLogin.stored(kind, row.getString(3)));
    }

    /** Reads, from the given column on, scope, name, part, kind, shard_id, owner, state, version. */
    public static HomeRow home(ResultSet row, int from) throws SQLException {
        String kind = row.getString(from + 3);
        return new HomeRow(
                HomeRow.Scope.valueOf(row.getString(from).toUpperCase(Locale.ROOT)),
                row.getString(from + 1),
                row.getInt(from + 2),
                kind.isEmpty() ? null : kind(kind),
                row.getInt(from + 4),
                row.getString(from + 5),
                HomeRow.State.valueOf(row.getString(from + 6).toUpperCase(Locale.ROOT)),
                row.getLong(from + 7),
                row.getInt(from + 8));
    }

    /** Reads the row of the directory that the cursor is at and all after it; none where the scope is NULL. */
    private static List<HomeRow> homes(ResultSet rows) throws SQLException {
        List<HomeRow> homes = new ArrayList<>();
        do {
            if (rows.getString(3) != null) {
                homes.add(home(rows, 3));
            }
        } while (rows.next());
        return homes;
    }

    /** Reads is_applied, the version of the directory, and rows of it; at least one row, perhaps an empty one. */
    public static DirectoryStore.Answer directoryAnswer(ResultSet rows) throws SQLException {
        rows.next();
        return new DirectoryStore.Answer(rows.getBoolean(1), rows.getLong(2), homes(rows));
    }

    /** Reads the version of the directory, is_whole, and rows of it; at least one row, perhaps an empty one. */
    public static DirectoryStore.Changes directoryChanges(ResultSet rows) throws SQLException {
        if (!rows.next()) {
            throw StoreErrors.corrupt("directory: its row is gone");
        }
        return new DirectoryStore.Changes(rows.getLong(1), rows.getBoolean(2), homes(rows));
    }

    /** Returns the scope of a name as it stands in the table. */
    public static String scope(HomeRow row) {
        return row.scope().name().toLowerCase(Locale.ROOT);
    }

    /** Returns the kind of an address as it stands in the directory; empty for what is none. */
    public static String kindOrEmpty(HomeRow row) {
        return row.kind() == null ? "" : kind(row.kind());
    }

    /** Returns the state that a change asks for: one of the table's, or {@code gone}. */
    public static String state(HomeChange change) {
        return change.isRemoval() ? "gone" : change.row().state().name().toLowerCase(Locale.ROOT);
    }

    /** Reads client_id, owner. */
    public static CatalogChange.OwnClient clientOwner(ResultSet row) throws SQLException {
        return new CatalogChange.OwnClient(row.getString(1), row.getString(2));
    }

    /** Puts a body together from its chunks in order: chunk, chunks, data. */
    public static byte[] body(ResultSet chunk, long bodyId) throws SQLException {
        List<byte[]> parts = new ArrayList<>();
        int chunks = 1;
        while (chunk.next() && chunk.getInt(1) == parts.size()) {
            chunks = chunk.getInt(2);
            parts.add(chunk.getBytes(3));
        }
        if (parts.size() != chunks) {
            throw StoreErrors.damaged("body " + bodyId + " has lost its chunk " + parts.size() + " of " + chunks);
        }
        return chunks == 1 ? parts.get(0) : joined(parts);
    }

    private static byte[] joined(List<byte[]> parts) {
        byte[] all = new byte[parts.stream().mapToInt(part -> part.length).sum()];
        int at = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, all, at, part.length);
            at += part.length;
        }
        return all;
    }

    /** Returns an address kind as it stands in the table: its name in lower case. */
    public static String kind(AddressKind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    /** Returns the kind of a login as it stands in the table: its name in lower case. */
    public static String kind(PublisherLogin.Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    /** Returns the address kind of a stored name. */
    public static AddressKind kind(String stored) {
        return AddressKind.valueOf(stored.toUpperCase(Locale.ROOT));
    }

    /** Reads address and shard_id of each row into the shards of each address. */
    public static Map<String, Set<Integer>> passedOn(PreparedStatement select) throws SQLException {
        Map<String, Set<Integer>> shards = new HashMap<>();
        try (ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                shards.computeIfAbsent(rows.getString(1), any -> new HashSet<>())
                        .add(rows.getInt(2));
            }
        }
        return shards;
    }
}
