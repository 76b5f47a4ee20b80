-- recover_client_owners: which user each client id belongs to.
-- Called by:   statements/recover_client_owners.sql, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: client_owner_pk, the range of the shard.
-- Changes:     nothing.
DROP PROCEDURE IF EXISTS ringtable.recover_client_owners;
GO

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
