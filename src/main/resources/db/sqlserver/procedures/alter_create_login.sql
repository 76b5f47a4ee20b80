-- alter_create_login: adds a login by which messages will be published.
-- Called by:   statements/alter_create_login.sql, commit included.
-- Locks:       the owner row first, exclusive until commit; then the new row.
-- Access path: login_pk, at the end of its shard.
-- Changes:     exactly one row of login.
DROP PROCEDURE IF EXISTS ringtable.alter_create_login;
GO

CREATE PROCEDURE ringtable.alter_create_login
    @shard_id INT,
    @epoch BIGINT,
    @login_id INT,
    @kind VARCHAR(10),
    @name NVARCHAR(400)
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @message NVARCHAR(2048);

    BEGIN TRANSACTION;
    UPDATE ringtable.shard SET next_id = shard.next_id WHERE shard_id = @shard_id AND epoch = @epoch;
    IF @@ROWCOUNT <> 1
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('epoch ', @epoch, ' is not the epoch of shard ', @shard_id);
        THROW 50015, @message, 1;
    END;
    INSERT INTO ringtable.login (shard_id, login_id, kind, name) VALUES (@shard_id, @login_id, @kind, @name);
    COMMIT TRANSACTION;
END;
GO
