-- flush: makes one batch of claims and settlements durable.
-- Called by:   PostgresqlFlush, once per batch, in auto-commit: one round trip, commit included.
-- Locks:       READ COMMITTED; the owner row, the rows of the ledger; nothing else.
-- Access path: appends to the segment of each sequence; settlement_pk.
-- Changes:     one row per message, block and bit, or nothing.
SELECT ringtable.flush(
    p_shard_id => ?, p_epoch => ?, p_gate => ?, p_dispatch_bound => ?, p_first_sequence => ?, p_claims => ?,
    p_address_id => ?, p_pending => ?, p_published_at => ?, p_priority => ?, p_expires_at => ?, p_deliver_at => ?,
    p_group_no => ?, p_body_id => ?, p_body_bytes => ?, p_body => ?, p_login_id => ?, p_block => ?, p_bit => ?,
    p_settled => ?,
    p_backlog_address_id => ?, p_backlog_block => ?, p_backlog_bit => ?, p_backlog_settled => ?,
    p_redelivery_sequence => ?, p_redelivery_subscription_id => ?, p_redelivery_count => ?,
    p_redelivery_not_before => ?, p_dispatched_subscription_id => ?, p_dispatched_to => ?);
