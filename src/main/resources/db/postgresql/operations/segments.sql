-- segments: the tables of the ring, what they hold, how large they are, and who keeps them from being emptied.
-- Called by:   people with pg_monitor, on a running broker's database.
-- Locks:       none but of the catalogue.
-- Access path: segment; the server's own lists.
-- Changes:     nothing.
SELECT g.segment,
       g.shard_id,
       CASE
           WHEN g.ordinal IS NULL THEN 'free'
           WHEN (g.ordinal + 1) * (h.capacity / 8) <= h.gate THEN 'to be emptied'
           ELSE 'in the ring'
       END AS state,
       g.ordinal * (h.capacity / 8) AS first_sequence,
       (g.ordinal + 1) * (h.capacity / 8) - 1 AS last_sequence,
       pg_size_pretty(pg_total_relation_size(format('ringtable.slot_%s', g.segment)::regclass)) AS slots,
       pg_size_pretty(pg_total_relation_size(format('ringtable.settlement_%s', g.segment)::regclass)) AS settlements,
       (SELECT string_agg(format('%s (%s, since %s)', l.pid, a.application_name, a.xact_start), ', ')
        FROM pg_locks AS l
        JOIN pg_stat_activity AS a ON a.pid = l.pid
        WHERE l.relation = format('ringtable.slot_%s', g.segment)::regclass
          AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND l.granted
          AND a.application_name <> 'ringtable') AS held_by
FROM ringtable.segment AS g
JOIN ringtable.shard AS h ON h.shard_id = g.shard_id
ORDER BY g.shard_id, g.ordinal NULLS LAST, g.segment;
