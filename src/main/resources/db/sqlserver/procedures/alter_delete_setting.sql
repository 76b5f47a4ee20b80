-- alter_delete_setting: removes a setting.
-- Called by:   statements/alter_delete_setting.sql, commit included.
-- Locks:       the owner row first, exclusive until commit; then the row of the setting.
-- Access path: setting_pk.
-- Changes:     exactly one row of setting.
DROP PROCEDURE IF EXISTS ringtable.alter_delete_setting;
GO

CREATE PROCEDURE ringtable.alter_delete_setting
    @shard_id INT,
    @epoch BIGINT,
    @kind VARCHAR(10),
    @name NVARCHAR(400)
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);
    DECLARE @changed INT;

    BEGIN TRANSACTION;
    UPDATE ringtable.shard SET next_id = shard.next_id WHERE shard_id = @shard_id AND epoch = @epoch;
    IF @@ROWCOUNT <> 1
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;
    DELETE FROM ringtable.setting
    WHERE shard_id = @shard_id AND kind = @kind AND name = @name AND DATALENGTH(name) = DATALENGTH(@name);
    SET @changed = @@ROWCOUNT;
    IF @changed <> 1
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('setting: ', @changed, ' rows changed where 1 must');
        THROW 50016, @message, 1;
    END;
    COMMIT TRANSACTION;
END;
GO
