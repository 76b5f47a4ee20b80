-- io_by_backend: reads, writes and syncs of the server by kind of process, object and context. PostgreSQL 16 and newer.
-- Called by:   people, twice, some seconds apart: the differences count, of all databases of the server.
-- Locks:       none; reads the server's own counters.
-- Access path: pg_stat_io, which PostgreSQL 15 does not have: there checkpoints shows who writes, log_flushes the log.
-- Changes:     nothing.
-- Look for:    writes or syncs of client backends on relations: they do the checkpointer's work, so shared_buffers is
--              too small; their evictions say the same. The object wal (18) is the log: who writes it, how many bytes
--              at a time. Times are empty unless track_io_timing (of the log: track_wal_io_timing) is on.
SELECT i.backend_type,
       i.object,
       i.context,
       i.reads,
       i.writes,
       i.write_bytes AS bytes,
       round(i.write_bytes / nullif(i.writes, 0)) AS bytes_per_write,
       nullif(i.write_time, 0) AS write_ms,
       i.extends,
       i.evictions,
       i.fsyncs AS syncs,
       nullif(i.fsync_time, 0) AS sync_ms
-- A name that pg_stat_io does not have is looked up here: 16 and 17 have op_bytes, 18 has write_bytes.
FROM (SELECT NULL::bigint AS op_bytes, NULL::numeric AS write_bytes) AS absent
CROSS JOIN LATERAL (SELECT backend_type, object, context, reads, writes,
                           coalesce(write_bytes, writes * op_bytes) AS write_bytes,
                           write_time, extends, evictions, fsyncs, fsync_time
                    FROM pg_stat_io) AS i
WHERE greatest(i.reads, i.writes, i.extends, i.evictions, i.fsyncs) > 0
ORDER BY i.writes DESC NULLS LAST, i.backend_type, i.object, i.context;
