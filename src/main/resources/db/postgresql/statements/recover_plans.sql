-- recover_plans: has each statement until the end of the transaction planned for the values that it is given.
-- Called by:   PostgresqlRecovery, in its transaction, before it reads the ring.
-- Locks:       none.
-- Access path: none.
-- Changes:     nothing of ours.
--
-- A plan for any segment locks the segments of all shards, until the recovery has ended. The server makes one when a
-- statement comes for the sixth time, if only to compare its cost.
SELECT set_config('plan_cache_mode', 'force_custom_plan', true);
