-- keep_placement: notes where a shard of the broker lies. The token of a row that is there stays.
-- Called by:   statements/keep_placement.sql, commit included.
-- Locks:       the row; two that come at once end with one of them.
-- Access path: placement_pk.
-- Changes:     at most one row; none if the row has another token.
DROP PROCEDURE IF EXISTS ringtable.keep_placement;
GO

CREATE PROCEDURE ringtable.keep_placement
    @shard_id INT,
    @token VARCHAR(40),
    @here SMALLINT,
    @store NVARCHAR(200),
    @place NVARCHAR(1000)
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    IF EXISTS (SELECT 1 FROM ringtable.placement AS p WHERE p.shard_id = @shard_id)
        UPDATE ringtable.placement
        SET store = @store, place = @place
        WHERE shard_id = @shard_id AND token = @token;
    ELSE
        INSERT INTO ringtable.placement (shard_id, token, here, store, place)
        VALUES (@shard_id, @token, @here, @store, @place);
END;
GO
