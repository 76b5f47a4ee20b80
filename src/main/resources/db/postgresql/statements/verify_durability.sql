-- verify_durability: whether a commit of this session reaches the disk and a standby, and whether this server writes.
-- Called by:   PostgresqlDialect.verify, for each connection that writes the ring, and with renewals of the lease.
-- Locks:       none.
-- Access path: none; settings, and the senders of the log in shared memory.
-- Changes:     nothing.
SELECT current_setting('fsync'), current_setting('synchronous_commit'), current_setting('full_page_writes'),
       pg_is_in_recovery(), current_setting('wal_block_size')::integer, current_setting('synchronous_standby_names'),
       (SELECT count(*) FROM pg_stat_replication)::integer;
