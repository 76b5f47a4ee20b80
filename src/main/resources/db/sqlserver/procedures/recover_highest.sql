-- recover_highest: the highest sequence in the ring, and how many slots it has.
-- Called by:   statements/recover_highest.sql, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: slot_pk, the whole ring, once.
-- Changes:     nothing.
DROP PROCEDURE IF EXISTS ringtable.recover_highest;
GO

CREATE PROCEDURE ringtable.recover_highest
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT MAX(m.sequence) AS highest, COUNT(*) AS slots FROM ringtable.slot AS m WHERE m.shard_id = @shard_id;
END;
GO
