-- checkpoint_fill: fills the pages in the order of their numbers.
-- Called by:   CheckpointSubject, once. Parameter: pages.
-- Locks:       the table.
-- Access path: the end of the heap.
-- Changes:     one row per page.
INSERT INTO dbo.checkpoint_page WITH (TABLOCK) (number, changes, filler)
SELECT TOP (?) ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) AS number, 0, ' '
FROM sys.all_columns AS a
    CROSS JOIN sys.all_columns AS b
ORDER BY number
OPTION (MAXDOP 1);
