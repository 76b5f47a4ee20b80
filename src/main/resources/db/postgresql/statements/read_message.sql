-- read_message: one message wherever it lies, with the bits that its row names and those that still owe it.
-- Called by:   PostgresqlReader.readMessage.
-- Locks:       ACCESS SHARE on the segment of the message.
-- Access path: slot_<segment>_brin and settlement_pk; backlog_summary_pk, backlog_pk and backlog_settlement_pk.
-- Changes:     nothing.
SELECT sequence, address_id, published_at, priority, expires_at, deliver_at, group_no, pending, body_id, body_bytes,
       body, login_id, in_ring, owed
FROM ringtable.read_message(p_shard_id => ?, p_sequence => ?);
