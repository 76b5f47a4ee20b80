-- checkpoint_pages: a table with one row per page of 8,192 bytes, and without an index.
-- Called by:   CheckpointSubject, once.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the schema.
--
-- An update writes a new version of the row. It finds room in the same page, because a page is filled only once. The
-- next scan removes the old version.
CREATE TABLE checkpoint_page (
    number  integer NOT NULL,
    changes integer NOT NULL,
    filler  text    STORAGE PLAIN NOT NULL
) WITH (fillfactor = 40, autovacuum_enabled = off);
