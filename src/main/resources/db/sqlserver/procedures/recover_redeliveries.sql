-- recover_redeliveries: every failed delivery.
-- Called by:   statements/recover_redeliveries.sql, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: redelivery_pk, the range of the shard.
-- Changes:     nothing.
DROP PROCEDURE IF EXISTS ringtable.recover_redeliveries;
GO

CREATE PROCEDURE ringtable.recover_redeliveries
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT r.sequence, r.subscription_id, r.count,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), r.not_before), 0) AS not_before
    FROM ringtable.redelivery AS r
    WHERE r.shard_id = @shard_id
    ORDER BY r.sequence, r.subscription_id;
END;
GO
