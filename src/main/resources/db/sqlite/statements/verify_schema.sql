-- verify_schema: the steps of the schema that the database has taken, in their order.
-- Called by:   SchemaMigrations.check, when the store is opened and each time that a node asks for the shard.
-- Locks:       none; reads one snapshot of the log.
-- Access path: the whole of ringtable_schema_history, a row for each step.
-- Changes:     nothing.
SELECT version, description, type, script, checksum, success
FROM ringtable_schema_history
ORDER BY installed_rank;
