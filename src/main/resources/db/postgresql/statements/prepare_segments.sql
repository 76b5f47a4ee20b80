-- prepare_segments: empties one segment below the durable gate; every sequence below gate + capacity gets a segment.
-- Called by:   PostgresqlSegments, after acquire, after reclaim, and when a flush finds none; until it answers false.
-- Locks:       the owner row until commit; ACCESS EXCLUSIVE on the emptied segment, NOWAIT.
-- Access path: segment by shard.
-- Changes:     at most one segment is emptied; rows of segment.
SELECT ringtable.prepare_segments(?, ?, ?);
