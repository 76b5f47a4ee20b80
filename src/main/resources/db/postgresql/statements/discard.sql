-- discard: deletes what is over from the backlog of an address.
-- Called by:   PostgresqlWriter.discard, in auto-commit.
-- Locks:       the owner row until commit; the deleted rows.
-- Access path: backlog_pk, a range; backlog_settlement_pk.
-- Changes:     any number of rows; answers the summary as it is now, no row if nothing is left.
SELECT address_id, first_sequence, last_sequence, messages, bytes, first_expires_at, first_deliver_at
FROM ringtable.discard(p_shard_id => ?, p_epoch => ?, p_address_id => ?, p_from => ?, p_to => ?);
