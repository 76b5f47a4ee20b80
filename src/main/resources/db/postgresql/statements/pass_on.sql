-- pass_on: passes messages of the inbox on to another shard, in which their address lives.
-- Called by:   PostgresqlRingStore.passOn, in auto-commit, once for each home in a look.
-- Locks:       KEY SHARE on the owner row: flushes go on, a new owner waits; the rows that it passes on.
-- Access path: inbox_pk.
-- Changes:     exactly the rows that are named.
SELECT ringtable.pass_on(p_shard_id => ?, p_epoch => ?, p_home => ?, p_inbox_ids => ?);
