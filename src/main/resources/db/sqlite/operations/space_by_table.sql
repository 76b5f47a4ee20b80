-- space_by_table: pages in use and free in the file, and rows that explain them.
-- Called by:   people; also on a running broker's file, best on a copy (see db/README.md).
-- Locks:       none; reads one snapshot of the log.
-- Access path: the smallest index of each table, whole.
-- Changes:     nothing.
SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size) AS file_bytes,
       (SELECT freelist_count FROM pragma_freelist_count) * (SELECT page_size FROM pragma_page_size) AS free_bytes,
       (SELECT count(*) FROM slot) AS slots,
       (SELECT count(*) FROM settlement) AS settlement_rows,
       (SELECT count(*) FROM backlog) AS backlog_rows,
       (SELECT count(*) FROM backlog_settlement) AS backlog_settlement_rows,
       (SELECT count(*) FROM redelivery) AS redelivery_rows,
       (SELECT count(*) FROM overflow) AS overflow_chunks;
