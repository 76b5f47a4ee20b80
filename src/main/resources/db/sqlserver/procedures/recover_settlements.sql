-- recover_settlements: the ledger of the ring.
-- Called by:   statements/recover_settlements.sql, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: settlement_pk, the range of the shard.
-- Changes:     nothing.
DROP PROCEDURE IF EXISTS ringtable.recover_settlements;
GO

CREATE PROCEDURE ringtable.recover_settlements
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT l.block, l.[bit], l.settled
    FROM ringtable.settlement AS l
    WHERE l.shard_id = @shard_id
    ORDER BY l.block, l.[bit];
END;
GO
