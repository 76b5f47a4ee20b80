-- read_body: the chunks of a body, in order.
-- Called by:   statements/read_body.sql.
-- Locks:       none that outlasts a row.
-- Access path: overflow_pk, a range.
-- Changes:     nothing.
DROP PROCEDURE IF EXISTS ringtable.read_body;
GO

CREATE PROCEDURE ringtable.read_body
    @shard_id INT,
    @body_id BIGINT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT o.chunk, o.chunks, o.data
    FROM ringtable.overflow AS o
    WHERE o.shard_id = @shard_id AND o.body_id = @body_id
    ORDER BY o.chunk;
END;
GO
