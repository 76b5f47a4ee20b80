-- aged:   statistics are those of the empty tables, and stay so; nothing cleans up what is deleted.
-- Source: Kejser, "Table Pattern: Database Message Queues": "The statistics are NEVER up to date on such a table".
DO $$
DECLARE
    its_name text;
BEGIN
    FOR its_name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
        EXECUTE format('ALTER TABLE %I SET (autovacuum_enabled = off)', its_name);
    END LOOP;
END $$;
ANALYZE;
