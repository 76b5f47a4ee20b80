-- recover_subscriptions: every subscription.
-- Called by:   statements/recover_subscriptions.sql, once per ownership.
-- Locks:       none that outlasts a row.
-- Access path: subscription_bit_is_held_once, the range of the shard.
-- Changes:     nothing.
DROP PROCEDURE IF EXISTS ringtable.recover_subscriptions;
GO

CREATE PROCEDURE ringtable.recover_subscriptions
    @shard_id INT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT u.subscription_id, u.address_id, u.client_id, u.name, u.group_no, u.[bit], u.from_sequence,
           COALESCE(u.dispatched_to, -1) AS dispatched_to, u.selector, u.no_local, u.shared
    FROM ringtable.subscription AS u
    WHERE u.shard_id = @shard_id
    ORDER BY u.subscription_id;
END;
GO
