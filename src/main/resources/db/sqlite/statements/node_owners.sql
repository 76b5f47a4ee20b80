-- node_owners: who owns the shard of the file. The lock of the file is the lease, so it has no end.
-- Called by:   SqliteNodeTable.owners, by timer.
-- Locks:       none; reads one snapshot of the log.
-- Access path: shard, whole: its one row.
-- Changes:     nothing.
SELECT epoch, node_id, node FROM shard;
