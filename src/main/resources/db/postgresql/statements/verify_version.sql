-- verify_version: what server this is.
-- Called by:   PostgresqlDialect.verify, for each connection that writes the ring, and with renewals of the lease.
-- Locks:       none.
-- Access path: none; functions of every version.
-- Changes:     nothing.
SELECT version(), current_setting('server_version_num')::integer;
