-- log_flushes: records, page images and bytes of the log, its writes and syncs, and the bytes that a write carries.
-- Called by:   people, twice, some seconds apart: the differences count, of all databases of the server.
-- Locks:       none; reads the server's own counters.
-- Access path: pg_stat_wal; writes and syncs from pg_stat_wal up to PostgreSQL 17, from pg_stat_io since 18.
-- Changes:     nothing.
-- Look for:    syncs near the number of messages: each pays a whole sync; one flush should carry many. page_images near
--              records: checkpoints come so often that every page goes whole into the log (max_wal_size).
--              full_buffers that rises: wal_buffers is too small. sync_ms / syncs above 5: the disk of the log bounds
--              synchronous senders. Times are empty unless track_wal_io_timing is on; open_datasync counts no syncs.
SELECT w.wal_records AS records,
       w.wal_fpi AS page_images,
       w.wal_bytes AS bytes,
       w.wal_buffers_full AS full_buffers,
       f.writes,
       f.syncs,
       round(w.wal_bytes / nullif(f.writes, 0)) AS bytes_per_write,
       nullif(f.write_ms, 0) AS write_ms,
       nullif(f.sync_ms, 0) AS sync_ms,
       w.stats_reset AS since
FROM pg_stat_wal AS w
-- The text goes through a function because a server refuses a statement that names a column which it does not have.
CROSS JOIN xmltable('/table/row' PASSING query_to_xml(
    CASE
        WHEN current_setting('server_version_num')::integer < 180000 THEN
            'SELECT wal_write AS writes, wal_sync AS syncs, wal_write_time AS write_ms, wal_sync_time AS sync_ms
             FROM pg_stat_wal'
        ELSE
            'SELECT sum(writes) AS writes, sum(fsyncs) AS syncs, sum(write_time) AS write_ms, sum(fsync_time) AS sync_ms
             FROM pg_stat_io WHERE object = ''wal'' AND context = ''normal'''
    END, false, false, '')
    COLUMNS writes bigint, syncs bigint, write_ms double precision, sync_ms double precision) AS f;
