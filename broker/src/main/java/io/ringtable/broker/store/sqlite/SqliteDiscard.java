package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.ShardState.BacklogSummary;
import io.ringtable.broker.store.jdbc.Rows;
import io.ringtable.broker.store.jdbc.StoreErrors;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Deletes what is over from the backlog of one address. Thread: the holder of the store's write lock. */
final class SqliteDiscard {
    private final SqliteTransaction transaction;

    SqliteDiscard(SqliteTransaction transaction) {
        this.transaction = transaction;
    }

    BacklogSummary run(long epoch, long addressId, long fromSequence, long toSequence) throws SQLException {
        return transaction.asOwner(epoch, owner -> {
            BacklogSummary before = summary(addressId);
            long deleted = 0;
            long bytes = 0;
            try (ResultSet rows = transaction
                    .bind(SqliteStatement.DISCARD_ROWS, addressId, fromSequence, toSequence)
                    .executeQuery()) {
                while (rows.next()) {
                    deleted++;
                    bytes += rows.getLong(1);
                }
            }
            if (deleted == 0) {
                return before;
            }
            transaction.update(
                    SqliteStatement.DISCARD_SETTLEMENTS,
                    addressId,
                    RingGeometry.blockOf(fromSequence),
                    RingGeometry.blockOf(toSequence - 1));
            return take(before, deleted, bytes);
        });
    }

    private BacklogSummary summary(long addressId) throws SQLException {
        try (ResultSet row = transaction
                .bind(SqliteStatement.DISCARD_SUMMARY_READ, addressId)
                .executeQuery()) {
            return row.next() ? Rows.backlogSummary(row) : empty(addressId);
        }
    }

    private BacklogSummary take(BacklogSummary before, long deleted, long bytes) throws SQLException {
        if (deleted > before.messages() || (deleted == before.messages() && bytes != before.bytes())) {
            throw StoreErrors.corrupt("the backlog of address " + before.addressId() + " had " + before.messages()
                    + " messages and " + before.bytes() + " bytes by its summary, of which " + deleted + " and " + bytes
                    + " are over");
        }
        if (deleted == before.messages()) {
            transaction.updateOne(SqliteStatement.DISCARD_SUMMARY_OVER, before.addressId(), deleted);
            return empty(before.addressId());
        }
        try (ResultSet row = transaction
                .bind(SqliteStatement.DISCARD_SUMMARY, before.addressId(), deleted, bytes)
                .executeQuery()) {
            row.next();
            return Rows.backlogSummary(row);
        }
    }

    private static BacklogSummary empty(long addressId) {
        return new BacklogSummary(addressId, 0, 0, 0, 0, 0, 0);
    }
}
