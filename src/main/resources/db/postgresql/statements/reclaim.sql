-- reclaim: moves what is still owed in a stretch of the ring to the backlog and raises the gate.
-- Called by:   PostgresqlWriter.reclaim, in auto-commit.
-- Locks:       the owner row until commit.
-- Access path: the segments of the stretch, whole; settlement_pk, a range.
-- Changes:     one row per message still owed; the gate; answers the summaries that grew.
SELECT address_id, first_sequence, last_sequence, messages, bytes, first_expires_at, first_deliver_at
FROM ringtable.reclaim(p_shard_id => ?, p_epoch => ?, p_gate => ?, p_new_gate => ?, p_owed_expected => ?);
