-- alter_disown_client: a client id belongs to nobody from now on.
-- Called by:   statements/alter_disown_client.sql, commit included.
-- Locks:       the owner row first, exclusive until commit; then the row of the client id.
-- Access path: client_owner_pk.
-- Changes:     one row of client_owner, or none if it is nobody's already.
DROP PROCEDURE IF EXISTS ringtable.alter_disown_client;
GO

CREATE PROCEDURE ringtable.alter_disown_client
    @shard_id INT,
    @epoch BIGINT,
    @client_id NVARCHAR(400)
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
    DELETE FROM ringtable.client_owner
    WHERE shard_id = @shard_id AND client_id = @client_id AND DATALENGTH(client_id) = DATALENGTH(@client_id);
    COMMIT TRANSACTION;
END;
GO
