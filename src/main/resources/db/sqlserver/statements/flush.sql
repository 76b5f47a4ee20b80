-- flush: makes one batch durable, commit included.
-- Called by:   SqlserverFlush.run, once per batch.
-- Locks:       the owner row, then one key per claim and settlement; see procedures/flush.sql.
-- Access path: see procedures/flush.sql.
-- Changes:     exactly one row per claim and per settlement; answers nothing.
EXECUTE ringtable.flush
    @shard_id = ?, @epoch = ?, @gate = ?, @dispatch_bound = ?, @rows_sent = ?, @claims = ?, @settlements = ?,
    @backlog_settlements = ?, @redeliveries = ?, @dispatched = ?;
