-- recover_addresses: every address.
-- Called by:   statements/recover_addresses.sql, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: address_pk.
-- Changes:     nothing.
DROP PROCEDURE IF EXISTS ringtable.recover_addresses;
GO

CREATE PROCEDURE ringtable.recover_addresses
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT a.address_id, a.name, a.kind, a.quota_messages, a.quota_bytes
    FROM ringtable.address AS a
    WHERE a.shard_id = @shard_id
    ORDER BY a.address_id;
END;
GO
