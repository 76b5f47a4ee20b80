-- verify_durability: whether a commit of this session reaches the disk, and whether this server takes writes.
-- Called by:   PostgresqlDialect.verify, once per start.
-- Locks:       none.
-- Access path: none; settings only.
-- Changes:     nothing.
SELECT current_setting('fsync'), current_setting('synchronous_commit'), current_setting('full_page_writes'),
       pg_is_in_recovery(), current_setting('wal_block_size')::integer;
