-- database_bytes: size of the database with its indexes.
-- Called by:   SnapshotHeld, after each stretch.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing.
SELECT pg_database_size(current_database());
