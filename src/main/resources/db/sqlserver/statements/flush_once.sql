-- flush_once: makes one batch durable with messages that are stored or copied once, and what says so.
-- Called by:   SqlserverFlush.run, for such a batch in place of flush.
-- Locks:       as flush and flush_inbox, then the rows of producers, ids and replays; see procedures/flush_once.sql.
-- Access path: as flush and flush_inbox; producer_pk, duplicate_id_pk, replay_pk.
-- Changes:     as flush and flush_inbox, and one row per producer, id and replay, or nothing.
EXECUTE ringtable.flush_once
    @shard_id = ?, @epoch = ?, @gate = ?, @dispatch_bound = ?, @rows_sent = ?, @claims = ?, @settlements = ?,
    @backlog_settlements = ?, @redeliveries = ?, @dispatched = ?, @inbox_ids = ?, @once_rows_sent = ?,
    @producers = ?, @duplicate_ids = ?, @replays = ?;
