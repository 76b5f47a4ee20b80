-- read_passed_on: the addresses whose messages are on their way through the inbox to other shards, and these shards.
-- Called by:   statements/read_passed_on.sql, once for each owner, then while an address has moved to another shard.
-- Locks:       shared, row by row; waits for calls of pass_on and for flushes, and for no application.
-- Access path: placement_pk; inbox_pk, around the messages of the lowest shard.
-- Changes:     nothing.
--
-- Applications lay their messages down for the lowest shard: those are not on their way yet. A message that its shard
-- is passing on is waited for (no READPAST). So it is seen at its place, or the other shard has it by then.
DROP PROCEDURE IF EXISTS ringtable.read_passed_on;
GO

CREATE PROCEDURE ringtable.read_passed_on
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @lowest INT;

    SELECT @lowest = MIN(p.shard_id) FROM ringtable.placement AS p WHERE p.here = 1;
    SET @lowest = COALESCE(@lowest, 0);
    -- Names that differ in spaces at the end are equal to the server: their lengths keep them apart.
    SELECT o.address, o.shard_id
    FROM (SELECT i.address, i.shard_id
          FROM ringtable.inbox AS i WITH (READCOMMITTEDLOCK, ROWLOCK, FORCESEEK)
          WHERE i.shard_id < @lowest
          UNION ALL
          SELECT i.address, i.shard_id
          FROM ringtable.inbox AS i WITH (READCOMMITTEDLOCK, ROWLOCK, FORCESEEK)
          WHERE i.shard_id > @lowest) AS o
    WHERE o.shard_id <> @shard_id
    GROUP BY o.shard_id, o.address, DATALENGTH(o.address)
    OPTION (MAXDOP 1);
END;
GO
