-- recover_replays: how far each subscription that began in the past has come.
-- Called by:   statements/recover_replays.sql, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: replay_pk, the range of the shard.
-- Changes:     nothing.
DROP PROCEDURE IF EXISTS ringtable.recover_replays;
GO

CREATE PROCEDURE ringtable.recover_replays
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT r.subscription_id, r.position, r.finished
    FROM ringtable.replay AS r
    WHERE r.shard_id = @shard_id
    ORDER BY r.subscription_id;
END;
GO
