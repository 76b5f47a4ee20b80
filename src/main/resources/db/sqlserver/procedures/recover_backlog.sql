-- recover_backlog: what each address has in the backlog.
-- Called by:   statements/recover_backlog.sql, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: backlog_summary_pk, the range of the shard.
-- Changes:     nothing.
DROP PROCEDURE IF EXISTS ringtable.recover_backlog;
GO

CREATE PROCEDURE ringtable.recover_backlog
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT b.address_id, b.first_sequence, b.last_sequence, b.messages, b.bytes,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), b.first_expires_at), 0)
               AS first_expires_at,
           COALESCE(DATEDIFF_BIG(MILLISECOND, CAST('1970-01-01' AS DATETIME2(3)), b.first_deliver_at), 0)
               AS first_deliver_at
    FROM ringtable.backlog_summary AS b
    WHERE b.shard_id = @shard_id
    ORDER BY b.address_id;
END;
GO
