-- read_ring: messages of the ring by sequence, with what is still owed.
-- Called by:   PostgresqlReader.readRing.
-- Locks:       ACCESS SHARE on the segments of the messages.
-- Access path: slot_<segment>_brin; settlement_pk.
-- Changes:     nothing.
SELECT sequence, address_id, published_at, priority, expires_at, deliver_at, group_no, pending, body_id, body_bytes,
       body, login_id
FROM ringtable.read_ring(p_shard_id => ?, p_sequences => ?);
