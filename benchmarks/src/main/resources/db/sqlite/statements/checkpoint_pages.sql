-- checkpoint_pages: a table with one row per page of 4,096 bytes, and without an index.
-- Called by:   CheckpointSubject, once.
-- Locks:       the write lock.
-- Access path: none.
-- Changes:     the schema.
CREATE TABLE checkpoint_page (
    number  INTEGER NOT NULL,
    changes INTEGER NOT NULL,
    filler  TEXT    NOT NULL
) STRICT;
