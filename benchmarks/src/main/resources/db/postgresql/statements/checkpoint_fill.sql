-- checkpoint_fill: fills the pages in the order of their numbers.
-- Called by:   CheckpointSubject, once. Parameter: pages.
-- Locks:       none that matter.
-- Access path: the end of the table.
-- Changes:     one row per page.
INSERT INTO checkpoint_page (number, changes, filler)
SELECT number, 0, repeat('x', 3500) FROM generate_series(1, ?) AS number;
