-- space_by_table: rows, pages and fill of each of our tables and indexes, and the filegroup that they lie in.
-- Called by:   people with VIEW DATABASE STATE.
-- Locks:       none but of the catalogue.
-- Access path: sys.dm_db_partition_stats.
-- Changes:     nothing.
-- Look for:    slot: four rows a page, no growth after the first lap; backlog, overflow: the cost of slow subscribers.
SELECT OBJECT_NAME(p.object_id) AS table_name,
       i.name AS index_name,
       f.name AS filegroup,
       p.row_count AS row_count,
       p.reserved_page_count * 8 AS reserved_kb,
       p.used_page_count * 8 AS used_kb,
       p.lob_used_page_count * 8 AS large_bodies_kb,
       CAST(p.row_count AS DECIMAL(18, 2))
           / CASE WHEN p.in_row_data_page_count = 0 THEN 1 ELSE p.in_row_data_page_count END AS rows_per_page
FROM sys.dm_db_partition_stats AS p
JOIN sys.indexes AS i ON i.object_id = p.object_id AND i.index_id = p.index_id
LEFT JOIN sys.filegroups AS f ON f.data_space_id = i.data_space_id
WHERE OBJECT_SCHEMA_NAME(p.object_id) = 'ringtable'
ORDER BY p.reserved_page_count DESC;
