-- flush_inbox: makes one batch durable that has something of the inbox in it, and deletes its rows.
-- Called by:   PostgresqlFlush, for such a batch in place of flush, in auto-commit: one round trip, commit included.
-- Locks:       READ COMMITTED; the owner row, the rows of the ledger, the rows of the inbox that are taken over.
-- Access path: as flush; inbox_pk.
-- Changes:     one row per message, block and bit, and each row of the inbox that is named, or nothing.
SELECT ringtable.flush_inbox(
    p_shard_id => ?, p_epoch => ?, p_gate => ?, p_dispatch_bound => ?, p_first_sequence => ?, p_claims => ?,
    p_address_id => ?, p_pending => ?, p_published_at => ?, p_priority => ?, p_expires_at => ?, p_deliver_at => ?,
    p_group_no => ?, p_body_id => ?, p_body_bytes => ?, p_body => ?, p_login_id => ?, p_block => ?, p_bit => ?,
    p_settled => ?,
    p_backlog_address_id => ?, p_backlog_block => ?, p_backlog_bit => ?, p_backlog_settled => ?,
    p_redelivery_sequence => ?, p_redelivery_subscription_id => ?, p_redelivery_count => ?,
    p_redelivery_not_before => ?, p_dispatched_subscription_id => ?, p_dispatched_to => ?, p_inbox_ids => ?);
