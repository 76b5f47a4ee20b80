-- recover_logins: every login by which messages were published.
-- Called by:   statements/recover_logins.sql, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: login_pk, the range of the shard.
-- Changes:     nothing.
DROP PROCEDURE IF EXISTS ringtable.recover_logins;
GO

CREATE PROCEDURE ringtable.recover_logins
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT l.login_id, l.kind, l.name
    FROM ringtable.login AS l
    WHERE l.shard_id = @shard_id
    ORDER BY l.login_id;
END;
GO
