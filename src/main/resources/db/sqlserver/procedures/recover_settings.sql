-- recover_settings: what administrators have set at run time.
-- Called by:   statements/recover_settings.sql, once per ownership, and by timer by nodes without shard 0.
-- Locks:       none that outlasts a row.
-- Access path: setting_pk, the range of the shard.
-- Changes:     nothing.
DROP PROCEDURE IF EXISTS ringtable.recover_settings;
GO

CREATE PROCEDURE ringtable.recover_settings
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT s.kind, s.name, s.document, s.changed_by,
           DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), s.changed_at) AS changed_at
    FROM ringtable.setting AS s
    WHERE s.shard_id = @shard_id
    ORDER BY s.kind, s.name;
END;
GO
