-- checkpoints: how many there were and why, how long they took, and who else wrote pages to the data files.
-- Called by:   people, twice, some minutes apart: the differences count, of all databases of the server.
-- Locks:       none; reads the server's own counters.
-- Access path: pg_stat_bgwriter, which counts checkpoints too up to PostgreSQL 16; since 17 pg_stat_checkpointer does.
-- Changes:     nothing.
-- Look for:    requested far above timed: the log fills before its time, so raise max_wal_size. sync_ms that rises
--              together with ringtable_flush_seconds: data and log share a disk. pages_of_background_writer or
--              background_writer_stopped that rise: shared_buffers is too small for what is being changed.
SELECT c.timed,
       c.requested,
       c.pages,
       c.pages * current_setting('block_size')::bigint AS bytes,
       c.write_ms,
       c.sync_ms,
       b.buffers_clean AS pages_of_background_writer,
       b.maxwritten_clean AS background_writer_stopped,
       b.stats_reset AS since
FROM pg_stat_bgwriter AS b
-- The text goes through a function because a server refuses a statement that names a view which it does not have.
CROSS JOIN xmltable('/table/row' PASSING query_to_xml(
    CASE
        WHEN current_setting('server_version_num')::integer < 170000 THEN
            'SELECT checkpoints_timed AS timed, checkpoints_req AS requested, buffers_checkpoint AS pages,
                    checkpoint_write_time AS write_ms, checkpoint_sync_time AS sync_ms
             FROM pg_stat_bgwriter'
        ELSE
            'SELECT num_timed AS timed, num_requested AS requested, buffers_written AS pages,
                    write_time AS write_ms, sync_time AS sync_ms
             FROM pg_stat_checkpointer'
    END, false, false, '')
    COLUMNS timed bigint, requested bigint, pages bigint, write_ms double precision, sync_ms double precision) AS c;
