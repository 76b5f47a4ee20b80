-- recover_duplicate_ids: every id that is kept.
-- Called by:   statements/recover_duplicate_ids.sql, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: duplicate_id_pk, the range of the shard.
-- Changes:     nothing.
DROP PROCEDURE IF EXISTS ringtable.recover_duplicate_ids;
GO

CREATE PROCEDURE ringtable.recover_duplicate_ids
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT d.address_id, d.position, d.ordinal, d.id
    FROM ringtable.duplicate_id AS d
    WHERE d.shard_id = @shard_id
    ORDER BY d.address_id, d.position;
END;
GO
