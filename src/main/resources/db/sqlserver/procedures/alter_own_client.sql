-- alter_own_client: says which user a client id belongs to from now on.
-- Called by:   statements/alter_own_client.sql, commit included.
-- Locks:       the owner row first, exclusive until commit; then the row of the client id.
-- Access path: client_owner_pk.
-- Changes:     exactly one row of client_owner, perhaps from another user.
DROP PROCEDURE IF EXISTS ringtable.alter_own_client;
GO

CREATE PROCEDURE ringtable.alter_own_client
    @shard_id INT,
    @epoch BIGINT,
    @client_id NVARCHAR(400),
    @owner NVARCHAR(400)
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
    -- 'a' = 'a ' here: the key refuses the second one, whose user must not become the owner of the first.
    UPDATE ringtable.client_owner SET owner = @owner
    WHERE shard_id = @shard_id AND client_id = @client_id AND DATALENGTH(client_id) = DATALENGTH(@client_id);
    SET @changed = @@ROWCOUNT;
    IF @changed = 0
    BEGIN
        INSERT INTO ringtable.client_owner (shard_id, client_id, owner) VALUES (@shard_id, @client_id, @owner);
        SET @changed = @@ROWCOUNT;
    END;
    IF @changed <> 1
    BEGIN
        ROLLBACK TRANSACTION;
        SET @message = CONCAT('client_owner: ', @changed, ' rows changed where 1 must');
        THROW 50016, @message, 1;
    END;
    COMMIT TRANSACTION;
END;
GO
