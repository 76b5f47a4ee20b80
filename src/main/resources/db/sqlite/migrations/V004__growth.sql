-- How far rows of the ring have grown, by block of slots. A row that a large body has stood in leaves its page to itself; once
-- enough of a block's have grown and small bodies are coming again, its slots are deleted and laid anew.

CREATE TABLE growth (
    block            INTEGER PRIMARY KEY, -- slot / 1024; one without a row has not grown
    grown            INTEGER NOT NULL,    -- large bodies that have stood in its slots since they were laid
    CONSTRAINT a_block_without_growth_has_no_row CHECK (grown > 0)
) STRICT;

-- What stood in the slots of a ring that is there already is not known: each block is laid anew when it is next cleared.
INSERT INTO growth (block, grown)
WITH RECURSIVE ring (block) AS (
    SELECT 0 FROM shard WHERE capacity > 0
    UNION ALL
    SELECT ring.block + 1 FROM ring, shard WHERE ring.block + 1 < shard.capacity / 1024
)
SELECT block, 1024
FROM ring;
