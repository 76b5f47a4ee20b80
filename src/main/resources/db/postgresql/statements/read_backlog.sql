-- read_backlog: messages of an address in the backlog that a bit still owes, in order.
-- Called by:   PostgresqlReader.readBacklog.
-- Locks:       none.
-- Access path: backlog_pk, a range; backlog_settlement_pk.
-- Changes:     nothing.
SELECT sequence, address_id, published_at, priority, expires_at, deliver_at, group_no, pending, body_id, body_bytes,
       body, login_id
FROM ringtable.read_backlog(
    p_shard_id => ?, p_address_id => ?, p_group_no => ?, p_bit => ?, p_after => ?, p_before => ?,
    p_messages_max => ?, p_bytes_max => ?);
