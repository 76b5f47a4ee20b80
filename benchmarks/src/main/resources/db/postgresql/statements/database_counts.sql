-- database_counts: what the server has counted so far. Its older versions count writes of the log elsewhere.
-- Called by:   ServerMeter, at the ends of a run.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
SELECT
    coalesce((to_jsonb(w) ->> 'wal_write')::bigint, log.writes) AS log_writes,
    coalesce((to_jsonb(w) ->> 'wal_sync')::bigint, log.fsyncs) AS log_syncs,
    w.wal_bytes::bigint AS log_bytes,
    w.wal_fpi AS page_images,
    checkpoint.writes AS checkpoint_writes,
    checkpoint.bytes AS checkpoint_bytes,
    (SELECT ((write_time + sync_time) * 1000)::bigint FROM pg_stat_checkpointer) AS checkpoint_micros,
    data.writes AS data_writes
FROM pg_stat_wal AS w
    CROSS JOIN (
        SELECT sum(writes)::bigint AS writes, sum(fsyncs)::bigint AS fsyncs
        FROM pg_stat_io WHERE object = 'wal') AS log
    CROSS JOIN (
        SELECT
            sum(writes)::bigint AS writes,
            sum(coalesce((to_jsonb(io) ->> 'write_bytes')::numeric, writes * 8192))::bigint AS bytes
        FROM pg_stat_io AS io WHERE object = 'relation' AND backend_type = 'checkpointer') AS checkpoint
    CROSS JOIN (SELECT sum(writes)::bigint AS writes FROM pg_stat_io WHERE object = 'relation') AS data;
