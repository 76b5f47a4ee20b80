-- keep_delivery_key: answers the secret of the codes in delivery tags; lays down the proposed one if there is none.
-- Called by:   statements/keep_delivery_key.sql, once when a node begins to serve the shard.
-- Locks:       one key of delivery_key, exclusive until it is laid; else none that outlasts the row.
-- Access path: delivery_key_pk.
-- Changes:     one row at the first start of all; nothing later.
--
-- Two nodes that meet at the first start of all may both want to lay it: the second one takes the first one's.
DROP PROCEDURE IF EXISTS ringtable.keep_delivery_key;
GO

CREATE PROCEDURE ringtable.keep_delivery_key
    @shard_id INT,
    @proposed VARBINARY(24)
AS
BEGIN
    SET NOCOUNT ON;
    BEGIN TRY
        INSERT INTO ringtable.delivery_key (shard_id, secret)
        SELECT @shard_id, @proposed
        WHERE NOT EXISTS (SELECT 1 FROM ringtable.delivery_key AS k WHERE k.shard_id = @shard_id);
    END TRY
    BEGIN CATCH
        IF ERROR_NUMBER() <> 2627
        BEGIN;
            THROW;
        END;
    END CATCH;
    SELECT k.secret FROM ringtable.delivery_key AS k WHERE k.shard_id = @shard_id;
END;
GO
