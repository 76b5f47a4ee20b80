-- Whose a client id is: the user's who first made a durable subscription with it.

CREATE TABLE ringtable.client_owner (
    shard_id  INT           NOT NULL,
    client_id NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL, -- as subscription.client_id; one without a row is nobody's yet
    owner     NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL, -- name of the user, as it logs in
    CONSTRAINT client_owner_pk PRIMARY KEY CLUSTERED (shard_id, client_id),
    CONSTRAINT client_owner_is_of_a_client CHECK (client_id <> N''),
    CONSTRAINT client_owner_is_somebody CHECK (owner <> N'')
);
GO

-- own_client:  says whose a client id is from now on.
-- Locks:       the owner row first, exclusive until commit; then the client id's row.
-- Access path: client_owner_pk.
-- Changes:     exactly one row of client_owner, perhaps from another user.
CREATE PROCEDURE ringtable.own_client
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
    UPDATE ringtable.client_owner SET owner = @owner WHERE shard_id = @shard_id AND client_id = @client_id;
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

-- disown_client: a client id is nobody's from now on.
-- Locks:       the owner row first, exclusive until commit; then the client id's row.
-- Access path: client_owner_pk.
-- Changes:     one row of client_owner, or none if it is nobody's already.
CREATE PROCEDURE ringtable.disown_client
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
    DELETE FROM ringtable.client_owner WHERE shard_id = @shard_id AND client_id = @client_id;
    COMMIT TRANSACTION;
END;
GO

-- recover_client_owners: whose client ids are.
-- Locks:       none that outlasts a row.
-- Access path: client_owner_pk, the shard's range.
-- Changes:     nothing.
CREATE PROCEDURE ringtable.recover_client_owners
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT o.client_id, o.owner
    FROM ringtable.client_owner AS o
    WHERE o.shard_id = @shard_id
    ORDER BY o.client_id;
END;
GO
