-- page_contention: waits for pages and locks, page splits and escalations of our indexes since the server started.
-- Called by:   people with VIEW DATABASE STATE; twice, some seconds apart: the differences count.
-- Locks:       none; reads the server's own counters.
-- Access path: sys.dm_db_index_operational_stats of this database.
-- Changes:     nothing.
-- Look for:    slot_pk with page_latch_waits (one writer per ring: somebody else scans or writes it), with splits
--              (somebody has rebuilt it or changed its fill factor), or with escalations (there must be none).
SELECT OBJECT_NAME(o.object_id) AS table_name,
       i.name AS index_name,
       o.leaf_update_count AS updates,
       o.leaf_insert_count AS inserts,
       o.leaf_delete_count AS deletes,
       o.leaf_allocation_count AS pages_allocated_or_split,
       o.page_latch_wait_count AS page_latch_waits,
       o.page_latch_wait_in_ms AS page_latch_ms,
       o.page_io_latch_wait_count AS page_reads_waited_for,
       o.page_io_latch_wait_in_ms AS page_reads_ms,
       o.row_lock_wait_count AS row_lock_waits,
       o.row_lock_wait_in_ms AS row_lock_ms,
       o.index_lock_promotion_attempt_count AS escalations_tried,
       o.index_lock_promotion_count AS escalations
FROM sys.dm_db_index_operational_stats(DB_ID(), NULL, NULL, NULL) AS o
JOIN sys.indexes AS i ON i.object_id = o.object_id AND i.index_id = o.index_id
WHERE OBJECT_SCHEMA_NAME(o.object_id) = 'ringtable'
ORDER BY o.page_latch_wait_in_ms DESC, o.leaf_update_count DESC;
