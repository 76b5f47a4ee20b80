-- read_passed_on: the addresses whose messages are on their way through the inbox to other shards, and these shards.
-- Called by:   PostgresqlReader.readPassedOn, once for each owner, then while an address has moved to another shard.
-- Locks:       none.
-- Access path: inbox_pk, around the messages of the lowest shard.
-- Changes:     nothing.
SELECT address, shard_id FROM ringtable.read_passed_on(p_shard_id => ?);
