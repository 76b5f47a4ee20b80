-- read_backlog_ledger: the ledger of the backlog of an address.
-- Called by:   statements/read_backlog_ledger.sql.
-- Locks:       none that outlasts a row.
-- Access path: backlog_settlement_pk, a range.
-- Changes:     nothing.
DROP PROCEDURE IF EXISTS ringtable.read_backlog_ledger;
GO

CREATE PROCEDURE ringtable.read_backlog_ledger
    @shard_id INT,
    @address_id BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT l.address_id, l.block, l.[bit], l.settled
    FROM ringtable.backlog_settlement AS l
    WHERE l.shard_id = @shard_id AND l.address_id = @address_id
    ORDER BY l.block, l.[bit];
END;
GO
