-- take_over_row: lays one message from the inbox of another database into this one.
-- Called by:   SqlserverRingStore.takeOver, in the transaction of take_over, in the order of ids.
-- Locks:       one key of the inbox, exclusive until that transaction ends; see procedures/take_over_row.sql.
-- Access path: see procedures/take_over_row.sql.
-- Changes:     exactly one row.
EXECUTE ringtable.take_over_row @shard_id = ?, @address = ?, @kind = ?, @body_text = ?, @body = ?, @properties = ?,
    @age_s = ?, @age_ms = ?, @published_by = ?;
