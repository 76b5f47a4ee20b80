-- alter_put_setting: adds a setting, or replaces it.
-- Called by:   statements/alter_put_setting.sql, commit included.
-- Locks:       the owner row first, exclusive until commit; then the row of the setting.
-- Access path: setting_pk.
-- Changes:     exactly one row of setting.
DROP PROCEDURE IF EXISTS ringtable.alter_put_setting;
GO

CREATE PROCEDURE ringtable.alter_put_setting
    @shard_id INT,
    @epoch BIGINT,
    @kind VARCHAR(10),
    @name NVARCHAR(400),
    @document NVARCHAR(MAX),
    @changed_by NVARCHAR(400),
    @changed_at BIGINT -- milliseconds since 1970 UTC
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);
    DECLARE @changed INT;
    DECLARE @instant DATETIME2(3);
    SET @instant = DATEADD(MILLISECOND, CAST(@changed_at % 1000 AS INT),
        DATEADD(SECOND, CAST(@changed_at / 1000 % 86400 AS INT),
            DATEADD(DAY, CAST(@changed_at / 86400000 AS INT), CAST('1970-01-01' AS DATETIME2(3)))));

    BEGIN TRANSACTION;
    UPDATE ringtable.shard SET next_id = shard.next_id WHERE shard_id = @shard_id AND epoch = @epoch;
    IF @@ROWCOUNT <> 1
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;
    -- 'ann' = 'ann ' here: the key refuses the second one, and it must not replace the first.
    UPDATE ringtable.setting SET document = @document, changed_by = @changed_by, changed_at = @instant
    WHERE shard_id = @shard_id AND kind = @kind AND name = @name AND DATALENGTH(name) = DATALENGTH(@name);
    SET @changed = @@ROWCOUNT;
    IF @changed = 0
    BEGIN
        INSERT INTO ringtable.setting (shard_id, kind, name, document, changed_by, changed_at)
        VALUES (@shard_id, @kind, @name, @document, @changed_by, @instant);
        SET @changed = @@ROWCOUNT;
    END;
    IF @changed <> 1
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('setting: ', @changed, ' rows changed where 1 must');
        THROW 50016, @message, 1;
    END;
    COMMIT TRANSACTION;
END;
GO
