-- flush_inbox: makes one batch durable that has messages of the inbox in it, and deletes their rows.
-- Called by:   SqlserverFlush.run, for such a batch in place of flush.
-- Locks:       as flush, then the rows of the inbox that are claimed; see procedures/flush_inbox.sql.
-- Access path: as flush; inbox_pk.
-- Changes:     one row per message, block and bit, and each row of the inbox that is named, or nothing.
EXECUTE ringtable.flush_inbox
    @shard_id = ?, @epoch = ?, @gate = ?, @dispatch_bound = ?, @rows_sent = ?, @claims = ?, @settlements = ?,
    @backlog_settlements = ?, @redeliveries = ?, @dispatched = ?, @inbox_ids = ?;
