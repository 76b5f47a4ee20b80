-- checkpoint_pages: a heap with one row per page of 8,192 bytes, as in Shea's article.
-- Called by:   CheckpointSubject, once.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the schema.
CREATE TABLE dbo.checkpoint_page (
    number  int        NOT NULL,
    changes int        NOT NULL,
    filler  char(8000) NOT NULL
);
