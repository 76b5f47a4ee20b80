-- database_extend: lets the database look into the server's buffers.
-- Called by:   ServerMeter, once per run.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the database's extensions.
CREATE EXTENSION IF NOT EXISTS pg_buffercache;
