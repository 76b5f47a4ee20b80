-- space_by_table: how much room each table takes, its indexes and TOAST included, and when vacuum last came by.
-- Called by:   people, on a running broker's database.
-- Locks:       none but of the catalogue.
-- Access path: the server's own lists.
-- Changes:     nothing.
SELECT c.relname AS table_name,
       pg_size_pretty(pg_total_relation_size(c.oid)) AS total,
       pg_size_pretty(pg_relation_size(c.oid)) AS rows_only,
       t.n_dead_tup AS dead_rows,
       greatest(t.last_vacuum, t.last_autovacuum) AS last_vacuum
FROM pg_class AS c
LEFT JOIN pg_stat_user_tables AS t ON t.relid = c.oid
WHERE c.relnamespace = 'ringtable'::regnamespace AND c.relkind = 'r'
ORDER BY pg_total_relation_size(c.oid) DESC;
