-- reclaim_grown: adds the large bodies of a block that is cleared to those of earlier laps.
-- Called by:   SqliteGrowth, once per block that has any.
-- Locks:       the write lock of the transaction (BEGIN IMMEDIATE).
-- Access path: primary key of growth.
-- Changes:     one row; answers the sum.
INSERT INTO growth (block, grown)
VALUES (?1, ?2)
ON CONFLICT (block) DO UPDATE
    SET grown = grown + excluded.grown
RETURNING grown;
