-- verify_schema: the steps of the schema that the database has taken, in their order.
-- Called by:   SchemaMigrations.check, when the store is opened and each time that a node asks for the shard.
-- Locks:       none that outlasts a row.
-- Access path: ringtable_schema_history_pk, the whole: a row for each step and each text of a procedure.
-- Changes:     nothing.
SELECT h.version, h.description, h.type, h.script, h.checksum, h.success
FROM ringtable.ringtable_schema_history AS h
ORDER BY h.installed_rank;
