-- flush_once: makes one batch durable with messages that are stored or copied once, and what says so.
-- Called by:   PostgresqlFlush, for such a batch in place of flush, in auto-commit: one round trip, commit included.
-- Locks:       READ COMMITTED; as flush and flush_inbox, then the rows of producers, ids and replays.
-- Access path: as flush and flush_inbox; producer_pk, duplicate_id_pk, replay_pk.
-- Changes:     as flush and flush_inbox, and one row per producer, id and replay, or nothing.
SELECT ringtable.flush_once(
    p_shard_id => ?, p_epoch => ?, p_gate => ?, p_dispatch_bound => ?, p_first_sequence => ?, p_claims => ?,
    p_address_id => ?, p_pending => ?, p_published_at => ?, p_priority => ?, p_expires_at => ?, p_deliver_at => ?,
    p_group_no => ?, p_body_id => ?, p_body_bytes => ?, p_body => ?, p_login_id => ?, p_block => ?, p_bit => ?,
    p_settled => ?,
    p_backlog_address_id => ?, p_backlog_block => ?, p_backlog_bit => ?, p_backlog_settled => ?,
    p_redelivery_sequence => ?, p_redelivery_subscription_id => ?, p_redelivery_count => ?,
    p_redelivery_not_before => ?, p_dispatched_subscription_id => ?, p_dispatched_to => ?, p_inbox_ids => ?,
    p_producer_id => ?, p_producer_last_number => ?, p_producer_used_at => ?, p_duplicate_address_id => ?,
    p_duplicate_position => ?, p_duplicate_ordinal => ?, p_duplicate_id => ?,
    p_replay_subscription_id => ?, p_replay_position => ?);
