-- verify_primary: whether this server takes writes, of which cluster it is, and how many promotions its log has seen.
-- Called by:   PrimarySource, once per connection where the URL names several servers.
-- Locks:       none.
-- Access path: none; functions that every user may call. The name of a file of the log begins with its timeline.
-- Changes:     nothing.
SELECT pg_is_in_recovery(), (pg_control_system()).system_identifier,
       CASE
           WHEN pg_is_in_recovery() THEN 0
           ELSE ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::integer
       END;
