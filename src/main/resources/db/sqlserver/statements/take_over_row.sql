-- take_over_row: lays one message from the inbox of another database into this one.
-- Called by:   SqlserverRingStore.takeOver, in the transaction of take_over, in the order of ids.
-- Locks:       one key of the inbox, exclusive until that transaction ends; never a page.
-- Access path: inbox_pk, at its end.
-- Changes:     exactly one row.
INSERT INTO ringtable.inbox WITH (ROWLOCK) (shard_id, address, kind, session_id, body_text, body, properties,
    published_at, published_by)
VALUES (?, ?, ?, @@SPID, ?, ?, ?, DATEADD(MILLISECOND, ?, DATEADD(SECOND, ?, SYSUTCDATETIME())), ?);
