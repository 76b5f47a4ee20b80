-- database_log_bytes: position in the log.
-- Called by:   ServerLogMeter, at the ends of a measurement.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint;
