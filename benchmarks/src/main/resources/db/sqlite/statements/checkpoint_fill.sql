-- checkpoint_fill: fills the pages in the order of their numbers. A second row finds no room in its page.
-- Called by:   CheckpointSubject, once. Parameter: pages.
-- Locks:       the write lock.
-- Access path: the end of the table.
-- Changes:     one row per page.
INSERT INTO checkpoint_page (number, changes, filler)
WITH RECURSIVE pages (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM pages WHERE number < ?1)
SELECT number, 0, hex(zeroblob(1950)) FROM pages;
