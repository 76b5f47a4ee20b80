-- recover_ring: slots with @from_slot <= slot < @to_slot, in order, without their bodies.
-- Called by:   statements/recover_ring.sql, a portion at a time.
-- Locks:       none that outlasts a row.
-- Access path: slot_pk, a range; overflow_pk where a body lies there.
-- Changes:     nothing.
DROP PROCEDURE IF EXISTS ringtable.recover_ring;
GO

CREATE PROCEDURE ringtable.recover_ring
    @shard_id INT,
    @from_slot INT,
    @to_slot INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT m.sequence,
           m.address_id,
           DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.published_at) AS published_at,
           m.priority,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.expires_at), 0) AS expires_at,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), m.deliver_at), 0) AS deliver_at,
           m.group_no,
           m.pending,
           COALESCE(m.body_id, 0) AS body_id,
           m.body_bytes,
           m.reference_count,
           CASE
               WHEN m.body_id IS NULL THEN 1
               WHEN EXISTS (SELECT 1
                            FROM ringtable.overflow AS o
                            WHERE o.shard_id = m.shard_id AND o.body_id = m.body_id
                            HAVING COUNT(*) = MAX(o.chunks) AND SUM(DATALENGTH(o.data)) = m.body_bytes) THEN 1
               ELSE 0
           END AS body_complete,
           m.slot
    FROM ringtable.slot AS m
    WHERE m.shard_id = @shard_id AND m.slot >= @from_slot AND m.slot < @to_slot
    ORDER BY m.slot;
END;
GO
