-- snapshot_hold: takes the snapshot of a REPEATABLE READ transaction that stays open.
-- Called by:   SnapshotHeld, once.
-- Locks:       none; its snapshot keeps old row versions alive.
-- Access path: none.
-- Changes:     nothing.
SELECT txid_current_snapshot();
