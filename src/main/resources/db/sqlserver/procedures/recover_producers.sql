-- recover_producers: every producer.
-- Called by:   statements/recover_producers.sql, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: producer_pk, the range of the shard.
-- Changes:     nothing.
DROP PROCEDURE IF EXISTS ringtable.recover_producers;
GO

CREATE PROCEDURE ringtable.recover_producers
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT p.producer_id, p.address_id, p.name, p.incarnation, p.last_number,
           DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), p.used_at) AS used_at,
           p.owner
    FROM ringtable.producer AS p
    WHERE p.shard_id = @shard_id
    ORDER BY p.producer_id;
END;
GO
